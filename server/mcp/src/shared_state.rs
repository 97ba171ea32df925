//! What all clients of a server share.

use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::RwLock;
use rmcp::model::{CallToolResult, ErrorData, Tool};
use tools::{Code, Dialect, Host, allowed_mcp_roots};

use crate::approval_rounds::{ApprovalRounds, FinishedCall};
use crate::call_router::CallRouter;
use crate::tasks::Tasks;
use crate::tool_result::ResultForm;
use crate::{Options, roots, tool_list, tool_result};

/// The rules of a folder's own settings, which count only in that folder.
const FOLDER_SETTINGS: &str = ".tandem/config.toml";

/// What all clients of a server share.
pub(crate) struct Server {
    /// Replaced at most once, if a client's roots choose another folder.
    router: RwLock<Arc<CallRouter>>,
    pub(crate) approval_rounds: ApprovalRounds,
    pub(crate) tasks: Tasks,
    /// The dialect that clients speak, if any.
    pub(crate) dialect: Option<Arc<Dialect>>,
    /// The listed tools; the same for the server's life.
    pub(crate) listed: Vec<Tool>,
    /// Whether every client gets text only.
    pub(crate) text_only: bool,
    /// Whether the client's roots may choose the folder.
    is_default_folder: bool,
    headless: bool,
}

impl Server {
    pub(crate) fn new(options: Options) -> Result<Arc<Self>, String> {
        let Options { folder, is_default_folder, headless, dialect, profile, text_only } = options;
        let router = CallRouter::new(&folder, !headless)?;
        let listed = match &dialect {
            Some(dialect) => tool_list::in_dialect(dialect),
            None => tool_list::of(&router.profile(profile.as_deref())?),
        };
        let server = Self {
            router: RwLock::new(Arc::new(router)),
            approval_rounds: ApprovalRounds::new()?,
            tasks: Tasks::default(),
            dialect,
            listed,
            text_only,
            is_default_folder,
            headless,
        };
        if !is_default_folder {
            server.router().headless().collect_guarded_paths();
        }
        Ok(Arc::new(server))
    }

    /// Where calls go.
    pub(crate) fn router(&self) -> Arc<CallRouter> {
        self.router.read().clone()
    }

    /// Sets the folder, as far as the client may choose it by its roots. Returns what the person has to
    /// know. Called once, before the first call.
    pub(crate) async fn set_roots(&self, roots: Option<Vec<PathBuf>>) -> Option<String> {
        let router = self.router();
        let snapshot = router.headless().workspace().snapshot();
        let allowed = self.is_default_folder.then(|| allowed_mcp_roots(&snapshot));
        let has_rules = snapshot.roots().iter().any(|root| {
            // A folder whose rules cannot be looked for stays, too.
            !matches!(root.kind_below(FOLDER_SETTINGS.as_ref()), Ok(None))
        });
        let may_narrow = self.is_default_folder && !has_rules;
        let roots = roots.unwrap_or_default();
        let mut choice = roots::choose(router.folder(), may_narrow, &roots, allowed.as_deref());
        if let Some(folder) = choice.folder {
            match CallRouter::new(&folder, !self.headless) {
                Ok(chosen) => {
                    let unused = std::mem::replace(&mut *self.router.write(), Arc::new(chosen));
                    unused.stop().await;
                }
                Err(why) => choice.warning = Some(format!("{}: {why}", folder.display())),
            }
        }
        if self.is_default_folder {
            self.router().headless().collect_guarded_paths();
        }
        choice.warning
    }

    /// The server instructions, read by the model before its first call.
    pub(crate) fn instructions(&self, has_roots: bool) -> String {
        let folder = self.router().folder().display().to_string();
        // They are sent before the client can be asked for its roots.
        let workspace = if has_roots && self.is_default_folder {
            format!("your root folder, or {folder} if it is elsewhere")
        } else {
            folder
        };
        format!(
            "Tools to read, search, understand, edit, run, debug and version the workspace {workspace}. \
             Paths are relative to it. Edits are atomic; an edit that matches in two places is rejected. \
             `find_tools` finds more tools than are listed (git, debugger, diagnostics, undo), `call_tool` \
             calls them. Reading and editing files needs no approval; running \
             commands does. On an error, follow its `hint`.",
        )
    }

    /// The result of a call that has ended.
    ///
    /// # Errors
    /// If there is no such tool.
    pub(crate) fn result(
        &self,
        text_only: bool,
        call: FinishedCall,
    ) -> Result<CallToolResult, ErrorData> {
        let FinishedCall { tool, is_verbose: verbose, outcome } = call;
        match outcome {
            Ok(result) if self.dialect.is_some() => {
                Ok(tool_result::in_dialect(result, self.router().take_notice()))
            }
            Ok(result) => {
                let form = ResultForm { verbose, text_only };
                Ok(tool_result::success(&tool, form, result, self.router().take_notice()))
            }
            Err(error)
                if self.dialect.is_none() && error["code"] == Code::ToolNotFound.as_str() =>
            {
                let message = error["message"].as_str().unwrap_or_default().to_owned();
                Err(ErrorData::invalid_params(message, Some(error)))
            }
            Err(error) => Ok(tool_result::failure(&error)),
        }
    }

    /// The workspace's folder for secrets.
    pub(crate) fn secrets_folder(&self) -> Result<PathBuf, String> {
        self.router().secrets_folder().map_err(|error| format!("the folder for secrets: {error}"))
    }

    /// Stops running work.
    pub(crate) async fn stop(&self) {
        self.tasks.stop();
        self.router().stop().await;
    }
}
