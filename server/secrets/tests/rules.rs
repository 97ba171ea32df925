//! Every rule finds what it is for, and no placeholder in the same shape.
//!
//! The keys are made from pieces when the tests run: no file of this repository has one.

use std::collections::HashSet;
use std::sync::atomic::AtomicBool;

use secrets::{Confidence, Finding, Scanner};

/// A text for each rule. `{a36}` stands for 36 random characters of a class: `a` letters and digits, `w` also `_` and
/// `-`, `h` hexadecimal, `l` small letters and digits, `U` of base 32, `C` capitals and digits, `B` base 64, `d` digits;
/// `{checked}` for 30 and their checksum, `{uuid}` for a UUID. A `|` is nothing: it parts what scanners would recognise.
const CASES: &[(&str, &str)] = &[
    ("aws-access-key-id", "key = 'AK|IA{U16}'"),
    ("aws-secret-access-key", "aws_secret_access_key = \"{B40}\""),
    ("aws-bedrock-key", "AB|SK{B120}=="),
    ("aws-mws-token", "amzn|.mws.{uuid}"),
    ("google-api-key", "AI|za{w35}"),
    ("google-oauth-client-secret", "GOC|SPX-{w28}"),
    ("google-oauth-access-token", "ya|29.{w60}"),
    ("firebase-messaging-key", "AAAA{w7}:{w140}"),
    ("azure-storage-key", "AccountName=a;Account|Key={B86}==;"),
    ("azure-shared-access-key", "SharedAccess|Key={B43}="),
    ("azure-client-secret", "secret: {a3}8Q~{a34}"),
    ("azure-sas-signature", "https://a.blob.core.windows.net/c?sv=1&sig={a43}%3D"),
    ("azure-devops-token", "{a76}AZ|DO{a4}"),
    ("alibaba-access-key-id", "LT|AI{a20}"),
    ("tencent-secret-id", "AK|ID{a32}"),
    ("digitalocean-token", "dop|_v1_{h64}"),
    ("cloudflare-origin-ca-key", "v1.0-{h24}-{h146}"),
    ("heroku-api-key", "HR|KU-AA{w58}"),
    ("netlify-token", "nfp|_{a36}"),
    ("fly-token", "fo1|_{w43}"),
    ("planetscale-token", "pscale|_tkn_{w43}"),
    ("supabase-token", "sbp|_{h40}"),
    ("databricks-token", "da|pi{h32}"),
    ("tailscale-key", "tskey|-auth-{a12}-{a32}"),
    ("github-personal-token", "gh|p_{checked}"),
    ("github-oauth-token", "gh|o_{checked}"),
    ("github-app-token", "gh|s_{checked}"),
    ("github-refresh-token", "gh|r_{a40}"),
    ("github-fine-grained-token", "github|_pat_{a22}_{a59}"),
    ("gitlab-personal-token", "gl|pat-{a20}"),
    ("gitlab-token", "gl|rt-{a20}"),
    ("gitlab-runner-registration-token", "GR13|48941{w20}"),
    ("bitbucket-app-password", "AT|BB{a32}"),
    ("atlassian-api-token", "ATA|TT3{w186}"),
    ("npm-token", "np|m_{checked}"),
    ("npmrc-auth-token", "//registry.local/:_auth|Token={a40}"),
    ("pypi-token", "pypi|-AgEIcHlwaS5vcmc{w120}"),
    ("rubygems-key", "ruby|gems_{h48}"),
    ("crates-io-token", "ci|o{a32}"),
    ("nuget-key", "oy|2{l43}"),
    ("docker-token", "dckr|_pat_{w27}"),
    ("docker-config-auth", "{\"auths\": {\"r\": {\"auth\": \"{B40}\"}}}"),
    ("clojars-token", "CLO|JARS_{l60}"),
    ("artifactory-key", "AK|Cp{a69}"),
    ("sourcegraph-token", "sg|p_{h40}"),
    ("openai-key", "sk|-proj-{a40}T3Blbk|FJ{a40}"),
    ("anthropic-key", "sk|-ant-api03-{w93}AA"),
    ("openrouter-key", "sk|-or-v1-{h64}"),
    ("huggingface-token", "h|f_{a34}"),
    ("replicate-token", "r|8_{a37}"),
    ("groq-key", "gs|k_{a52}"),
    ("perplexity-key", "pp|lx-{a48}"),
    ("xai-key", "xa|i-{a80}"),
    ("slack-token", "xo|xb-{d12}-{d12}-{a24}"),
    ("slack-app-token", "xa|pp-1-{C10}-{d13}-{h64}"),
    ("slack-webhook", "https://hooks.slack|.com/services/T{C8}/B{C8}/{a24}"),
    ("discord-webhook", "https://discord|.com/api/webhooks/{d18}/{w68}"),
    ("discord-bot-token", "discord_bot = M{a23}.{a6}.{a38}"),
    ("telegram-bot-token", "bot {d10}:AA{w33}"),
    (
        "teams-webhook",
        "https://x.webhook.office|.com/webhookb2/{uuid}@{uuid}/IncomingWebhook/{h32}/{uuid}",
    ),
    ("sendgrid-key", "S|G.{w22}.{w43}"),
    ("mailgun-key", "MAILGUN = ke|y-{h32}"),
    ("mailchimp-key", "{h32}-us|12"),
    ("brevo-key", "xkey|sib-{h64}-{a16}"),
    ("postmark-token", "POSTMARK_TOKEN={uuid}"),
    ("twilio-key", "twilio: S|K{h32}"),
    ("stripe-live-key", "sk|_live_{a24}"),
    ("stripe-test-key", "sk|_test_{a24}"),
    ("stripe-webhook-secret", "wh|sec_{a32}"),
    ("square-token", "sq0|atp-{a22}"),
    ("braintree-token", "access_token|$production${l16}${h32}"),
    ("shopify-token", "shp|at_{h32}"),
    ("plaid-token", "access|-production-{uuid}"),
    ("easypost-key", "EZ|AK{a54}"),
    ("shippo-token", "shippo|_live_{h40}"),
    ("flutterwave-key", "FLW|SECK-{h32}-X"),
    ("duffel-token", "duffel|_live_{a43}"),
    ("vault-token", "hv|s.{a90}"),
    ("terraform-token", "{a14}.atlas|v1.{a67}"),
    ("pulumi-token", "pu|l-{h40}"),
    ("doppler-token", "dp|.pt.{a43}"),
    ("onepassword-service-token", "ops|_eyJ{a400}"),
    ("grafana-service-token", "gl|sa_{a32}_{h8}"),
    ("grafana-cloud-token", "gl|c_eyJ{a90}"),
    ("newrelic-key", "NR|AK-{C27}"),
    ("sentry-token", "sntry|u_{h64}"),
    ("dynatrace-token", "dt0|c01.{C24}.{C64}"),
    ("datadog-key", "DD_API|_KEY={h32}"),
    ("prefect-key", "pn|u_{a36}"),
    ("age-secret-key", "AGE-SECRET|-KEY-1{Q58}"),
    ("linear-key", "lin|_api_{a40}"),
    ("notion-token", "nt|n_{d11}{a35}"),
    ("airtable-token", "airtable = 'pa|t{a14}.{h64}'"),
    ("figma-token", "fi|gd_{a40}"),
    ("postman-key", "PM|AK-{h24}-{h34}"),
    ("hubspot-token", "pat|-na1-{uuid}"),
    ("contentful-token", "CF|PAT-{w43}"),
    ("typeform-token", "tf|p_{a44}"),
    ("mapbox-secret-token", "sk|.eyJ{a80}.{a22}"),
    ("adafruit-key", "ai|o_{a28}"),
    ("readme-key", "rd|me_{l70}"),
    (
        "private-key",
        "-----BEGIN RSA PRIVATE| KEY-----\n{B64}\n{B64}\n{B64}\n-----END RSA PRIVATE KEY-----\n",
    ),
    ("putty-private-key", "Private|-Lines: 1\n{B64}\n"),
    ("jwt", "e|yJ{a34}.eyJ{a80}.{w43}"),
    ("url-password", "postgres|://admin:{a16}@db.local/app"),
    ("jdbc-password", "jdbc:mysql|://db/app?user=a&password={a16}"),
    ("ado-password", "Server=db;User Id=a;Pass|word={a16};"),
    ("authorization-bearer", "Authorization: Bear|er {a40}"),
    ("authorization-basic", "Authorization: Bas|ic {B40}"),
    ("curl-user", "curl -u admin:{a16} https://a.local"),
    ("netrc-password", "machine a.local\nlogin me\npass|word {a16}\n"),
    ("generic-api-key", "const apiSecret = \"{a32}\";"),
    ("generic-password", "db_password = '{a16}'"),
    ("generic-setting", "SERVICE_TOKEN={a32}\n"),
];

/// How the parts of a text are filled.
#[derive(Clone, Copy)]
enum Fill {
    Random,
    /// The same character throughout, as people write placeholders.
    Same,
}

fn class(name: char) -> &'static [u8] {
    match name {
        'a' => b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
        'w' => b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-",
        'h' => b"0123456789abcdef",
        'l' => b"abcdefghijklmnopqrstuvwxyz0123456789",
        'U' => b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
        'C' => b"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
        'B' => b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
        'Q' => b"QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
        'd' => b"0123456789",
        other => panic!("no class {other}"),
    }
}

/// Random characters that are the same in each run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    fn characters(&mut self, name: char, length: usize, fill: Fill) -> String {
        let class = class(name);
        let one = |at: usize| char::from(class[at]);
        match fill {
            Fill::Same => String::from(one(0)).repeat(length),
            Fill::Random => (0..length).map(|_| one(self.below(class.len()))).collect(),
        }
    }
}

fn checksum(random: &str) -> String {
    let digits = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let mut crc = !0_u32;
    for byte in random.bytes() {
        crc ^= u32::from(byte);
        for _ in 0..8 {
            crc = if crc & 1 == 1 { (crc >> 1) ^ 0xEDB8_8320 } else { crc >> 1 };
        }
    }
    let mut number = !crc;
    let mut text = Vec::new();
    for _ in 0..6 {
        text.push(digits[(number % 62) as usize]);
        number /= 62;
    }
    text.reverse();
    String::from_utf8(text).expect("digits are text")
}

fn filled(template: &str, seed: u64, fill: Fill) -> String {
    let mut random = Random(seed);
    let mut text = String::new();
    let mut rest = template;
    while let Some(start) = rest.find('{') {
        text.push_str(&rest[..start]);
        let part = &rest[start + 1..];
        let Some(end) = part.find('}') else { break };
        let name = &part[..end];
        let length = name.get(1..).and_then(|length| length.parse::<usize>().ok());
        rest = &part[end + 1..];
        match (name, length) {
            ("checked", _) => {
                let characters = random.characters('a', 30, fill);
                text.push_str(&characters);
                // A placeholder has no right checksum either.
                text.push_str(&match fill {
                    Fill::Random => checksum(&characters),
                    Fill::Same => "AAAAAA".to_owned(),
                });
            }
            ("uuid", _) => {
                let parts: Vec<_> =
                    [8, 4, 4, 4, 12].iter().map(|n| random.characters('h', *n, fill)).collect();
                text.push_str(&parts.join("-"));
            }
            (name, Some(length)) => {
                let class = name.chars().next().expect("a class has a name");
                text.push_str(&random.characters(class, length, fill));
            }
            // A brace of the text.
            _ => {
                text.push('{');
                rest = part;
            }
        }
    }
    text.push_str(rest);
    text.replace('|', "")
}

/// The file in which a rule's text stands.
fn path(rule: &str) -> &'static str {
    match rule {
        "docker-config-auth" => ".docker/config.json",
        "generic-setting" => ".env.local",
        _ => "src/app.py",
    }
}

fn scan(path: &str, text: &str) -> Vec<Finding> {
    Scanner::default().scan(path, text.as_bytes(), &AtomicBool::new(false))
}

#[test]
fn every_rule_finds_its_secret_and_reports_it_redacted() {
    let rules: HashSet<&str> = Scanner::rules().iter().map(|rule| rule.id.as_str()).collect();
    let covered: HashSet<&str> = CASES.iter().map(|(rule, _)| *rule).collect();
    assert_eq!(rules.symmetric_difference(&covered).collect::<Vec<_>>(), Vec::<&&str>::new());
    let mut missed = Vec::new();
    for (rule, template) in CASES {
        // A random key can contain a word or a run by chance; one of three does not.
        let found = (1..4).find_map(|seed| {
            let text = format!("first\n  {} \nlast\n", filled(template, seed, Fill::Random));
            let text = if *rule == "generic-setting" { text.replace(" \n", "\n") } else { text };
            let found = scan(path(rule), &text).into_iter().find(|found| found.rule == *rule)?;
            Some((found, text))
        });
        let Some((found, text)) = found else {
            missed.push(*rule);
            continue;
        };
        let secret = &text[found.span.clone()];
        assert!(found.confidence >= Confidence::Medium, "{rule}");
        assert!(found.line >= 2 && found.column >= 1, "{rule}: {found:?}");
        for field in [&found.redacted, &found.fingerprint] {
            assert!(!field.contains(&secret[..6.min(secret.len())]), "{rule}: {field}");
        }
    }
    assert_eq!(missed, Vec::<&str>::new());
}

#[test]
fn placeholders_in_the_shape_of_a_secret_are_none() {
    for (rule, template) in CASES {
        let text = filled(template, 1, Fill::Same);
        let found = scan(path(rule), &text);
        assert!(found.iter().all(|found| found.confidence == Confidence::Low), "{rule}: {found:?}");
    }
}

#[test]
fn a_comment_on_the_line_allows_it() {
    for (rule, template) in CASES {
        // Keys that stand on several lines are allowed on their first.
        let text = filled(template, 1, Fill::Random);
        let (first, rest) = text.split_once('\n').unwrap_or((&text, ""));
        for comment in ["tandem:allow-secret", "gitleaks:allow"] {
            let text = format!("{first} # {comment}\n{rest}");
            let found = scan(path(rule), &text);
            assert!(!found.iter().any(|found| found.rule == *rule), "{rule}: {found:?}");
        }
    }
}

#[test]
fn ordinary_code_has_no_secrets() {
    let key = filled("{a36}", 7, Fill::Random);
    for (path, text) in [
        ("a.py", "token = os.environ['API_TOKEN_V2']".to_owned()),
        ("a.py", "password = get_password(user1)".to_owned()),
        ("a.ts", "const secretName = 'prod/db2/password-v1';".to_owned()),
        ("a.ts", "const tokenUrl = \"https://id.example.org/oauth2/token\";".to_owned()),
        ("a.rs", "let token: &str = \"oauth2-access-token-type\";".to_owned()),
        ("a.sh", "curl -u \"$USER:$PASSWORD\" https://a.local".to_owned()),
        ("a.md", "postgres://user:password@localhost/db".to_owned()),
        ("a.md", "https://user:${TOKEN}@github.com/a/b".to_owned()),
        ("a.md", "AKIAIOSFODNN7EXAMPLE".to_owned()),
        ("a.md", "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY".to_owned()),
        ("a.md", "-----BEGIN RSA PRIVATE KEY-----\n...\n-----END RSA PRIVATE KEY-----".to_owned()),
        ("a.pem", "-----BEGIN PUBLIC KEY-----\nMFwwDQYJKoZIhvcNAQEBBQADSwAwSAJBAK\n".to_owned()),
        (".env.example", "API_TOKEN=your_token_here_1\nDB_PASSWORD=changeme123\n".to_owned()),
        ("a.yml", "token: ${{ secrets.DEPLOY_TOKEN2 }}".to_owned()),
        ("yarn.lock", format!("token = \"{key}\"")),
        ("a.txt", format!("sha512-{key}{key}")),
        // Half a word: GitHub's prefix inside another name.
        ("a.txt", format!("xgh{}_{key}", "p")),
    ] {
        let found = scan(path, &text);
        let found: Vec<_> =
            found.iter().filter(|found| found.confidence > Confidence::Low).collect();
        assert!(found.is_empty(), "{path}: {text}: {found:?}");
    }
}

#[test]
fn a_wrong_checksum_lowers_the_confidence() {
    let text = filled("gh|p_{a36}", 3, Fill::Random);
    let found = scan("a.py", &text);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].confidence, Confidence::Low);
    let text = filled("gh|p_{checked}", 3, Fill::Random);
    assert_eq!(scan("a.py", &text)[0].confidence, Confidence::High);
}

#[test]
fn one_secret_is_one_finding_of_the_rule_that_knows_most() {
    let text = filled("api_token = \"gh|p_{checked}\"", 5, Fill::Random);
    let found = scan("a.py", &text);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!((found[0].rule.as_str(), found[0].column), ("github-personal-token", 14));
}

#[test]
fn patterns_of_a_caller_count() {
    let patterns = ["corp-([a-z]{5})".to_owned()];
    let scanner = Scanner::with_patterns(&patterns).unwrap();
    let found = scanner.scan("a", "x\ncorp-abcde corp-fghij".as_bytes(), &AtomicBool::new(false));
    let places: Vec<_> = found.iter().map(|f| (f.rule.as_str(), f.line, f.column)).collect();
    assert_eq!(places, [("custom-1", 2, 6), ("custom-1", 2, 17)]);
    for bad in ["(", &"a".repeat(501), "(?:a{1000}){1000}"] {
        assert!(Scanner::with_patterns(&[bad.to_owned()]).is_err(), "{bad:.20}");
    }
    assert!(Scanner::with_patterns(&vec!["a".to_owned(); 21]).is_err());
}

#[test]
fn hostile_texts_are_bounded() {
    let flood = filled("token='{a32}' ", 9, Fill::Random);
    let started = std::time::Instant::now();
    let found = scan("a.py", &flood.repeat(20_000));
    assert_eq!(found.len(), secrets::MAX_FINDINGS_PER_TEXT);
    for text in
        ["://", "token", "password=", "-----BEGIN PRIVATE KEY-----", "eyJ", "a:b@", "\0\u{fffd}"]
    {
        assert!(scan("a.py", &text.repeat(200_000)).is_empty(), "{text}");
    }
    // Seconds in a debug build; a quadratic pattern would take hours.
    assert!(started.elapsed().as_secs() < 60);
    let invalid: Vec<u8> = (0..=255).cycle().take(100_000).collect();
    assert!(Scanner::default().scan("a", &invalid, &AtomicBool::new(false)).is_empty());
    assert!(Scanner::default().scan("a", flood.as_bytes(), &AtomicBool::new(true)).is_empty());
}

#[test]
fn sarif_has_the_places_and_no_secret() {
    let text = filled("key = 'gh|p_{checked}'", 5, Fill::Random);
    let found = scan("a b.py", &text);
    let places = [secrets::SarifPlace { path: "a b.py", commit: Some("abc"), finding: &found[0] }];
    let log = serde_json::Value::Object(secrets::sarif(&places, "1"));
    let result = &log["runs"][0]["results"][0];
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "a%20b.py");
    assert_eq!(place["region"]["startColumn"], 8);
    assert_eq!(result["level"], "error");
    assert!(!log.to_string().contains(&text[found[0].span.clone()]));
}
