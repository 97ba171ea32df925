//! A server on a desktop of its own.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use client::Client;
use serde_json::{Value, json};
use tests::{Desktop, Home, Questions, ToolError, skip, start_with_person, user_config, wait_for};

/// The rule that lets tests use the desktop without being asked.
pub(crate) const ALLOW: &str = "[policy.allow]\nadmin = [\"desktop/*\"]\n";

/// A server, and a person who answers its questions.
pub(crate) struct Session {
    pub(crate) home: Home,
    client: Client,
    questions: Questions,
}

impl Session {
    /// A server with these settings and this environment, in which `answer` decides on each question.
    pub(crate) fn start(
        settings: &str,
        environment: &[(&str, &str)],
        answer: impl Fn(&str) -> &'static str + Send + Sync + 'static,
    ) -> Self {
        let home = Home::new();
        user_config(&home, settings);
        let mut command = home.command();
        command
            .envs(Desktop::tesseract(&home.outside()).map(|program| ("TANDEM_TESSERACT", program)));
        command.envs(environment.iter().copied());
        let (client, questions) = start_with_person(&home, &mut command, answer);
        Self { home, client, questions }
    }

    /// A server that may do everything on a desktop.
    pub(crate) fn on(desktop: &Desktop) -> Self {
        Self::start(ALLOW, &[("DISPLAY", &desktop.display)], |_| "Deny")
    }

    pub(crate) fn try_call(&self, tool: &str, params: Value) -> Result<Value, ToolError> {
        let answer = self.client.execute_command(&format!("tandem.{tool}"), json!([params]));
        answer.map_err(|error| ToolError::from_client(&error))
    }

    pub(crate) fn call(&self, tool: &str, params: Value) -> Value {
        self.try_call(tool, params.clone())
            .unwrap_or_else(|error| panic!("{tool} {params}: {error:?}"))
    }

    pub(crate) fn refused(&self, tool: &str, params: Value, code: &str) -> String {
        let error = self.try_call(tool, params.clone()).expect_err(&format!("{tool} {params}"));
        assert_eq!(error.code, code, "{tool} {params}: {error:?}");
        error.message
    }

    pub(crate) fn questions(&self) -> Vec<String> {
        self.questions.lock().unwrap().clone()
    }

    /// The window with this title, once it is there.
    pub(crate) fn window(&self, title: &str) -> Value {
        wait_for(title, || {
            let listed = self.call("list_windows", json!({}));
            let windows = listed["windows"].as_array().unwrap();
            windows.iter().find(|window| window["title"] == title).cloned()
        })
    }

    /// The id of a window, which gets the focus.
    pub(crate) fn focused(&self, title: &str) -> String {
        let id = self.window(title)["id"].as_str().unwrap().to_owned();
        let result = self.call("focus_window", json!({ "window_id": id }));
        assert_eq!(result["window"]["focused"], true, "{result}");
        id
    }

    /// A screenshot as its width, height and bytes of red, green and blue.
    pub(crate) fn picture(&self, params: Value) -> (u32, u32, Vec<u8>) {
        let result = self.call("screenshot", params);
        decoded(&STANDARD.decode(result["data"].as_str().unwrap()).unwrap())
    }
}

/// The pixels of a PNG.
pub(crate) fn decoded(bytes: &[u8]) -> (u32, u32, Vec<u8>) {
    let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    assert_eq!(info.color_type, png::ColorType::Rgb);
    (info.width, info.height, pixels)
}

/// A desktop; says that the test is left out if the component is not here.
pub(crate) fn desktop(test: &str) -> Option<Desktop> {
    let desktop = Desktop::start("1280x800");
    if desktop.is_none() {
        skip(test, "desktop");
    }
    desktop
}
