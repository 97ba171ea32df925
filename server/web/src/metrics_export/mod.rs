//! Sends the events of `metrics_record` to the person's OpenTelemetry collector.
//!
//! The log on disk is what counts. What a collector does not take is dropped with a warning, and no
//! call waits for it.

mod messages;
mod send;

use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tools::{MetricEvent, NetworkSettings, OtlpSettings};

/// Events that wait. A second of a busy workflow has far fewer.
const MAX_WAITING: usize = 10_000;
/// Events of one request.
const MAX_BATCH: usize = 500;
/// How long a batch waits for more events.
const BATCH_WAIT: Duration = Duration::from_secs(1);
/// How long the end of a session waits for the last batch.
const MAX_FLUSH: Duration = Duration::from_secs(2);

/// The exporter of a session. Without a collector in the settings it has no thread and no queue.
#[derive(Default)]
pub(crate) struct Exporter(Mutex<Option<Running>>);

struct Running {
    queue: SyncSender<Export>,
    ended: Receiver<()>,
}

/// An event, and where it goes: settings may change at any time.
struct Export {
    event: MetricEvent,
    collector: OtlpSettings,
    network: NetworkSettings,
}

impl Exporter {
    /// Adds an event for the thread, which the first one starts.
    pub(crate) fn push(
        &self,
        event: &MetricEvent,
        collector: &OtlpSettings,
        network: &NetworkSettings,
    ) {
        let mut running = self.0.lock();
        let export =
            Export { event: event.clone(), collector: collector.clone(), network: network.clone() };
        if running.is_none() {
            match start() {
                Ok(started) => *running = Some(started),
                Err(error) => return tracing::warn!("no thread for exporting metrics: {error}"),
            }
        }
        let Some(running) = &*running else { return };
        if let Err(TrySendError::Full(_)) = running.queue.try_send(export) {
            tracing::warn!("an event was not exported: {MAX_WAITING} wait for the collector");
        }
    }

    /// Sends what waits, within a short time.
    pub(crate) fn stop(&self) {
        let Some(Running { queue, ended }) = self.0.lock().take() else { return };
        drop(queue);
        // A collector that does not answer in this time gets nothing.
        let _ = ended.recv_timeout(MAX_FLUSH);
    }
}

fn start() -> std::io::Result<Running> {
    let (queue, events) = sync_channel(MAX_WAITING);
    let (ending, ended) = sync_channel(1);
    std::thread::Builder::new().name("metrics-export".to_owned()).spawn(move || {
        run(&events);
        // Nobody waits for it unless the session ends.
        let _ = ending.try_send(());
    })?;
    Ok(Running { queue, ended })
}

/// Sends batches until the queue is closed.
fn run(events: &Receiver<Export>) {
    let mut next = events.recv().ok();
    while let Some(first) = next.take() {
        let (collector, network) = (first.collector.clone(), first.network.clone());
        let mut batch = vec![first.event];
        let end = Instant::now() + BATCH_WAIT;
        while batch.len() < MAX_BATCH {
            match events.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok(export) if export.collector == collector && export.network == network => {
                    batch.push(export.event);
                }
                // The settings have changed in between.
                Ok(export) => {
                    next = Some(export);
                    break;
                }
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => break,
            }
        }
        if let Err(why) = send::send(&batch, &collector, &network) {
            tracing::warn!("{} events were not exported to {}: {why}", batch.len(), collector.url);
        }
        next = next.or_else(|| events.recv().ok());
    }
}

#[cfg(test)]
mod tests;
