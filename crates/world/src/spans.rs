//! Spans for the `tracing` crate; nothing without the feature of that name.

use crate::Stage;

/// A stretch of work, from its making to its end.
#[derive(Debug)]
pub(crate) struct Span {
    #[cfg(feature = "tracing")]
    _entered: Option<tracing::span::EnteredSpan>,
}

impl Span {
    /// Ends it here.
    pub(crate) fn end(self) {}
}

/// A whole update.
pub(crate) fn update(bodies: usize) -> Span {
    #[cfg(not(feature = "tracing"))]
    let _ = bodies;
    Span {
        #[cfg(feature = "tracing")]
        _entered: Some(tracing::debug_span!("impinge::update", bodies).entered()),
    }
}

/// A stage of an update.
pub(crate) fn stage(stage: Stage) -> Span {
    #[cfg(not(feature = "tracing"))]
    let _ = stage;
    Span {
        #[cfg(feature = "tracing")]
        _entered: match stage {
            Stage::Bounds => Some(tracing::debug_span!("impinge::bounds").entered()),
            Stage::Pairs => Some(tracing::debug_span!("impinge::pairs").entered()),
            Stage::Contacts => Some(tracing::debug_span!("impinge::contacts").entered()),
            Stage::Events => Some(tracing::debug_span!("impinge::events").entered()),
            Stage::Done => None,
        },
    }
}

/// A batch of queries.
pub(crate) fn batch(queries: usize) -> Span {
    #[cfg(not(feature = "tracing"))]
    let _ = queries;
    Span {
        #[cfg(feature = "tracing")]
        _entered: Some(tracing::debug_span!("impinge::batch", queries).entered()),
    }
}
