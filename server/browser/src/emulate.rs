//! `browser_emulate`: another window, device, network or place.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tools::{Code, Context, Effect, EffectKind, Tool, ToolError};

use crate::call::Call;
use crate::limits::ACTION_TIMEOUT;

pub(crate) struct BrowserEmulate;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// Width of the window, in CSS pixels.
    #[serde(default)]
    width: Option<u32>,
    /// Its height.
    #[serde(default)]
    height: Option<u32>,
    /// Whether it is a phone, with touch.
    #[serde(default)]
    mobile: Option<bool>,
    /// Pixels of the screen for each CSS pixel.
    #[serde(default)]
    scale: Option<f64>,
    #[serde(default)]
    color_scheme: Option<ColorScheme>,
    /// `print` or `screen`.
    #[serde(default)]
    media: Option<Media>,
    #[serde(default)]
    reduced_motion: Option<bool>,
    #[serde(default)]
    network: Option<NetworkSpeed>,
    /// By how much the processor is slower: 4 is a phone of the middle class.
    #[serde(default)]
    cpu_slowdown: Option<f64>,
    /// `Europe/Berlin`.
    #[serde(default)]
    timezone: Option<String>,
    /// `de-DE`.
    #[serde(default)]
    locale: Option<String>,
    /// End all emulation first.
    #[serde(default)]
    reset: bool,
}

#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum ColorScheme {
    Light,
    Dark,
}

#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Media {
    Screen,
    Print,
}

/// The speed of the network.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum NetworkSpeed {
    Full,
    Offline,
    /// 400 ms, 400 kbit/s.
    Slow3g,
    /// 150 ms, 1.6 Mbit/s.
    Fast3g,
    /// 60 ms, 9 Mbit/s.
    #[serde(rename = "4g")]
    Lte,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// What is emulated now, as the page sees it: window, pixel ratio, color scheme, time zone, language.
    page: Value,
}

/// Largest side of a window, in CSS pixels.
const MAX_SIDE: u32 = 8_000;

impl Tool for BrowserEmulate {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "browser_emulate";
    const ALIASES: &'static [&'static str] = &["browser_resize"];
    const DESCRIPTION: &'static str = "Change how the open page is shown: window size, phone, dark mode, print, network \
        speed, slower processor, time zone, language. Returns what the page sees; it lasts until `reset`.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Network];
    const IDEMPOTENT: bool = true;

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        let invalid =
            |why: &str| Err(ToolError::new(Code::InvalidParams, format!("{}: {why}", Self::NAME)));
        let is_side = |side: Option<u32>| side.is_none_or(|side| (50..=MAX_SIDE).contains(&side));
        if !is_side(params.width) || !is_side(params.height) {
            return invalid(&format!("a window has 50 to {MAX_SIDE} pixels"));
        }
        if params.width.is_some() != params.height.is_some() {
            return invalid("give both `width` and `height`");
        }
        let is_factor =
            |factor: Option<f64>| factor.is_none_or(|factor| (0.1..=20.0).contains(&factor));
        if !is_factor(params.scale) || !is_factor(params.cpu_slowdown) {
            return invalid("factors are 0.1 to 20");
        }
        Ok(crate::effects::of_action(context, Self::NAME))
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let call = Call::on_page(context, Self::NAME, None, ACTION_TIMEOUT)?;
        let _attended = call.browser.gate.attend();
        call.refuse_if_dialog()?;
        if params.reset {
            for (method, arguments) in [
                ("Emulation.clearDeviceMetricsOverride", json!({})),
                ("Emulation.setTouchEmulationEnabled", json!({ "enabled": false })),
                ("Emulation.setEmulatedMedia", json!({ "media": "", "features": [] })),
                ("Emulation.setCPUThrottlingRate", json!({ "rate": 1 })),
                ("Emulation.setTimezoneOverride", json!({ "timezoneId": "" })),
                ("Emulation.setLocaleOverride", json!({ "locale": "" })),
                ("Network.emulateNetworkConditions", conditions(NetworkSpeed::Full)),
            ] {
                call.command(method, arguments)?;
            }
            remember(&call, conditions(NetworkSpeed::Full));
        }
        apply(&call, &params)?;
        let expression = "({ width: innerWidth, height: innerHeight, scale: devicePixelRatio, \
             color_scheme: matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light', \
             media: matchMedia('print').matches ? 'print' : 'screen', online: navigator.onLine, \
             timezone: Intl.DateTimeFormat().resolvedOptions().timeZone, locale: Intl.DateTimeFormat().resolvedOptions().locale })";
        let page = call.command(
            "Runtime.evaluate",
            json!({ "expression": expression, "returnByValue": true }),
        )?;
        Ok(Output { page: page["result"]["value"].clone() })
    }
}

fn apply(call: &Call<'_>, params: &Params) -> Result<(), ToolError> {
    if params.width.is_some() || params.mobile.is_some() || params.scale.is_some() {
        let mobile = params.mobile.unwrap_or(false);
        let metrics = json!({
            "width": params.width.unwrap_or(0),
            "height": params.height.unwrap_or(0),
            "deviceScaleFactor": params.scale.unwrap_or(0.0),
            "mobile": mobile,
        });
        call.command("Emulation.setDeviceMetricsOverride", metrics)?;
        call.command("Emulation.setTouchEmulationEnabled", json!({ "enabled": mobile }))?;
    }
    let mut features = Vec::new();
    if let Some(scheme) = params.color_scheme {
        let value = if matches!(scheme, ColorScheme::Dark) { "dark" } else { "light" };
        features.push(json!({ "name": "prefers-color-scheme", "value": value }));
    }
    if let Some(is_reduced) = params.reduced_motion {
        let value = if is_reduced { "reduce" } else { "no-preference" };
        features.push(json!({ "name": "prefers-reduced-motion", "value": value }));
    }
    if !features.is_empty() || params.media.is_some() {
        let media = match params.media {
            Some(Media::Print) => "print",
            Some(Media::Screen) => "screen",
            None => "",
        };
        call.command(
            "Emulation.setEmulatedMedia",
            json!({ "media": media, "features": features }),
        )?;
    }
    if let Some(speed) = params.network {
        call.command("Network.emulateNetworkConditions", conditions(speed))?;
        remember(call, conditions(speed));
    }
    if let Some(rate) = params.cpu_slowdown {
        call.command("Emulation.setCPUThrottlingRate", json!({ "rate": rate.max(1.0) }))?;
    }
    let refused = |name: &str, value: &str, error: ToolError| match error.code {
        Code::Unsupported => ToolError::new(
            Code::InvalidParams,
            format!("{}: `{name}`: `{value:.60}` is not known", call.tool),
        ),
        _ => error,
    };
    if let Some(zone) = &params.timezone {
        call.command("Emulation.setTimezoneOverride", json!({ "timezoneId": zone }))
            .map_err(|error| refused("timezone", zone, error))?;
    }
    if let Some(locale) = &params.locale {
        // It refuses to replace one that is set.
        call.command("Emulation.setLocaleOverride", json!({ "locale": "" }))?;
        call.command("Emulation.setLocaleOverride", json!({ "locale": locale }))
            .map_err(|error| refused("locale", locale, error))?;
    }
    Ok(())
}

fn remember(call: &Call<'_>, conditions: Value) {
    call.browser.pages.with(|pages| {
        if let Some(page) = pages.page(&call.session) {
            page.network_conditions = conditions;
        }
    });
}

fn conditions(speed: NetworkSpeed) -> Value {
    let (offline, latency, kilobits) = match speed {
        NetworkSpeed::Full => return crate::page::full_speed(),
        NetworkSpeed::Offline => (true, 0, 0),
        NetworkSpeed::Slow3g => (false, 400, 400),
        NetworkSpeed::Fast3g => (false, 150, 1_600),
        NetworkSpeed::Lte => (false, 60, 9_000),
    };
    let bytes = kilobits * 125;
    json!({ "offline": offline, "latency": latency, "downloadThroughput": bytes, "uploadThroughput": bytes })
}
