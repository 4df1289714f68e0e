//! Work in chunks, joined in the order of the chunks.
//!
//! Which thread does a chunk never shows in the result, and neither does the number of threads.

use rayon::prelude::*;

/// Runs `work` on chunks of `size` items and returns the results in the order of the chunks.
pub(crate) fn chunks<T: Sync, R: Send>(
    items: &[T],
    size: usize,
    work: impl Fn(&[T]) -> R + Send + Sync,
) -> Vec<R> {
    if items.len() <= size {
        // Waking threads for one chunk costs more than the chunk.
        return if items.is_empty() { Vec::new() } else { vec![work(items)] };
    }
    items.par_chunks(size).map(work).collect()
}

/// Runs `work` on chunks of `size` items, each with the part at its place, and returns these parts.
/// Parts are made where there are too few of them.
pub(crate) fn chunks_into<'p, T: Sync, P: Default + Send>(
    items: &[T],
    size: usize,
    parts: &'p mut Vec<P>,
    work: impl Fn(&[T], &mut P) + Send + Sync,
) -> &'p mut [P] {
    let count = items.len().div_ceil(size);
    if parts.len() < count {
        parts.resize_with(count, P::default);
    }
    let parts = &mut parts[..count];
    if let [part] = parts {
        // Waking threads for one chunk costs more than the chunk.
        work(items, part);
    } else {
        let chunks = items.par_chunks(size).zip(&mut *parts);
        chunks.for_each(|(chunk, part)| work(chunk, part));
    }
    parts
}

/// Writes `work` of each item to `out`, in order; tasks have at least `size` items. No item knows of
/// another, so how rayon cuts the list shows nowhere.
pub(crate) fn map_into<T: Sync, R: Send>(
    items: &[T],
    size: usize,
    out: &mut Vec<R>,
    work: impl Fn(&T) -> R + Send + Sync,
) {
    fill(items.len(), size, out, |place| work(&items[place]));
}

/// [`map_into`] of the numbers below `count`.
pub(crate) fn fill<R: Send>(
    count: usize,
    size: usize,
    out: &mut Vec<R>,
    work: impl Fn(usize) -> R + Send + Sync,
) {
    out.clear();
    if count <= size {
        out.extend((0..count).map(work));
    } else {
        (0..count).into_par_iter().with_min_len(size).map(work).collect_into_vec(out);
    }
}

/// Runs `work` on chunks of `size` items and of as many places of `out`, which is as long.
pub(crate) fn zip_chunks<T: Sync, R: Send>(
    items: &[T],
    size: usize,
    out: &mut [R],
    work: impl Fn(&[T], &mut [R]) + Send + Sync,
) {
    if items.len() <= size {
        work(items, out);
    } else {
        let chunks = items.par_chunks(size).zip(out.par_chunks_mut(size));
        chunks.for_each(|(items, out)| work(items, out));
    }
}

/// Runs `work` on each of a few tasks.
pub(crate) fn each<T: Send>(tasks: Vec<T>, work: impl Fn(T) + Send + Sync) {
    if tasks.len() > 1 {
        tasks.into_par_iter().for_each(work);
    } else {
        tasks.into_iter().for_each(work);
    }
}
