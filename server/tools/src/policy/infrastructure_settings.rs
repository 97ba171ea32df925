//! The table `infrastructure` of the user's settings.

use serde::Deserialize;

/// Programs for plans of infrastructure.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct InfrastructureSettings {
    /// The program for configurations of Terraform; without it, the one that is installed.
    pub program: Option<InfrastructureProgram>,
}

/// A program for configurations of Terraform.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum InfrastructureProgram {
    /// Terraform.
    Terraform,
    /// OpenTofu.
    #[serde(alias = "opentofu")]
    Tofu,
}

impl InfrastructureProgram {
    /// Its name on the `PATH`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Terraform => "terraform",
            Self::Tofu => "tofu",
        }
    }
}
