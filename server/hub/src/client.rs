//! Serves one WebSocket connection.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use futures_util::{FutureExt, SinkExt, StreamExt};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::{Notify, watch};
use tokio::time::{Instant, MissedTickBehavior, interval_at, timeout};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, Role, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Error, Message as Frame, Utf8Bytes};

use crate::connections::stopped;
use crate::limits::{
    MAX_REQUEST_BYTES, NOTICE_TIMEOUT, PING_INTERVAL, SEND_TIMEOUT, SILENCE_TIMEOUT, STOP_TIMEOUT,
};
use crate::messages::{self, ClientRequest, Message};
use crate::shared::Shared;
use crate::subscriptions::Subscriptions;

/// Why a connection ends.
enum End {
    /// The client has closed it, or is gone.
    Gone,
    /// The client does not take what it has subscribed to.
    Slow,
    /// The client sent what the protocol does not allow.
    Misuse(CloseCode, &'static str),
    /// The hub stops.
    Stopped,
}

/// Serves a connection until it ends.
pub(crate) async fn serve<S: AsyncRead + AsyncWrite + Unpin>(
    stream: S,
    shared: Arc<Shared>,
    stopping: watch::Receiver<bool>,
) {
    let config = WebSocketConfig::default()
        .max_message_size(Some(MAX_REQUEST_BYTES))
        .max_frame_size(Some(MAX_REQUEST_BYTES))
        // Each message is sent at once.
        .write_buffer_size(0);
    let socket = WebSocketStream::from_raw_socket(stream, Role::Server, Some(config)).await;
    shared.clients.fetch_add(1, Ordering::Relaxed);
    let wake = Arc::new(Notify::new());
    let subscriptions =
        Subscriptions::new(shared.sources.clone(), shared.counts.clone(), wake.clone());
    let mut client = Client { socket, subscriptions, wake, stopping, heard: Instant::now() };
    let end = client.run().await;
    // Nothing more is queued for it.
    let Client { mut socket, mut stopping, .. } = client;
    shared.clients.fetch_sub(1, Ordering::Relaxed);
    let (code, reason, patience) = match end {
        End::Gone => return,
        End::Slow => {
            shared.slow_clients.fetch_add(1, Ordering::Relaxed);
            (CloseCode::Policy, "too slow: it did not take what it subscribed to", NOTICE_TIMEOUT)
        }
        End::Misuse(code, reason) => (code, reason, SEND_TIMEOUT),
        End::Stopped => (CloseCode::Away, "the server is ending", STOP_TIMEOUT),
    };
    let is_stopped = matches!(end, End::Stopped);
    tokio::select! {
        () = close(&mut socket, code, reason, patience) => {}
        () = stopped(&mut stopping), if !is_stopped => {}
    }
}

/// Sends the reason, and waits until the client has it.
async fn close<S: AsyncRead + AsyncWrite + Unpin>(
    socket: &mut WebSocketStream<S>,
    code: CloseCode,
    reason: &'static str,
    patience: Duration,
) {
    let closed = async {
        let frame = CloseFrame { code, reason: Utf8Bytes::from_static(reason) };
        if socket.close(Some(frame)).await.is_ok() {
            while let Some(Ok(_)) = socket.next().await {}
        }
    };
    let _ = timeout(patience, closed).await;
}

struct Client<S> {
    socket: WebSocketStream<S>,
    subscriptions: Subscriptions,
    wake: Arc<Notify>,
    stopping: watch::Receiver<bool>,
    /// When the client sent something last.
    heard: Instant,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Client<S> {
    /// Sends what there is, and carries out what the client sends.
    async fn run(&mut self) -> End {
        match self.exchange().await {
            Err(end) => end,
            Ok(never) => match never {},
        }
    }

    async fn exchange(&mut self) -> Result<std::convert::Infallible, End> {
        let mut ping = interval_at(Instant::now() + PING_INTERVAL, PING_INTERVAL);
        ping.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let (wake, mut stopping) = (self.wake.clone(), self.stopping.clone());
        loop {
            let message = self.subscriptions.next().map_err(|_| End::Slow)?;
            if let Some(message) = message {
                self.send(Frame::Text(message)).await?;
                // Between two messages of a flood, without waiting.
                while let Some(received) = self.socket.next().now_or_never() {
                    self.receive(received).await?;
                }
                continue;
            }
            tokio::select! {
                received = self.socket.next() => self.receive(received).await?,
                () = wake.notified() => {}
                () = stopped(&mut stopping) => return Err(End::Stopped),
                _ = ping.tick() => {
                    if self.heard.elapsed() > SILENCE_TIMEOUT {
                        return Err(End::Gone);
                    }
                    self.send(Frame::Ping(bytes::Bytes::new())).await?;
                }
            }
        }
    }

    /// Sends one frame. The client has some seconds to take it.
    async fn send(&mut self, frame: Frame) -> Result<(), End> {
        tokio::select! {
            sent = timeout(SEND_TIMEOUT, self.socket.send(frame)) => match sent {
                Ok(Ok(())) => Ok(()),
                Ok(Err(_)) => Err(End::Gone),
                Err(_) => Err(End::Slow),
            },
            () = stopped(&mut self.stopping) => Err(End::Stopped),
        }
    }

    async fn receive(&mut self, received: Option<Result<Frame, Error>>) -> Result<(), End> {
        self.heard = Instant::now();
        match received {
            Some(Ok(Frame::Text(text))) => {
                let answer = self.carry_out(&text);
                match answer {
                    Some(answer) => self.send(Frame::Text(answer)).await,
                    None => Ok(()),
                }
            }
            Some(Ok(Frame::Binary(_))) => {
                Err(End::Misuse(CloseCode::Unsupported, "messages are JSON in text frames"))
            }
            Some(Ok(_)) => Ok(()),
            Some(Err(Error::Capacity(_))) => {
                Err(End::Misuse(CloseCode::Size, "messages have at most 16 KB"))
            }
            Some(Err(Error::Utf8(_))) => Err(End::Misuse(CloseCode::Invalid, "this is no UTF-8")),
            Some(Err(Error::Protocol(_))) => {
                Err(End::Misuse(CloseCode::Protocol, "this is not the WebSocket protocol"))
            }
            Some(Err(_)) | None => Err(End::Gone),
        }
    }

    /// Carries out a message. Returns the answer.
    fn carry_out(&mut self, text: &str) -> Option<Utf8Bytes> {
        let answer =
            |kind, channel: Option<&str>| Message { kind, channel, ..Message::default() }.json();
        let (channel, why) = match messages::parse(text) {
            Ok(ClientRequest::Ping) => return Some(answer("pong", None)),
            Ok(ClientRequest::Unsubscribe { channel }) => {
                // One that has ended by itself is no mistake.
                self.subscriptions.remove(&channel);
                return Some(answer("unsubscribed", Some(&channel)));
            }
            Ok(ClientRequest::Subscribe { channel, cursor }) => {
                match self.subscriptions.add(&channel, cursor) {
                    Ok(first) => return Some(first),
                    Err(why) => (Some(channel), why),
                }
            }
            Err(why) => (None, why),
        };
        let data = Some(why.into());
        let channel = channel.as_deref();
        Some(Message { kind: "error", channel, data, ..Message::default() }.json())
    }
}
