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
    collect(items.len().div_ceil(size), &|chunk| work(chunk_of(items, size, chunk)))
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
        in_chunks(parts, 1, &|chunk, parts| {
            parts.iter_mut().for_each(|part| work(chunk_of(items, size, chunk), part));
        });
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
    in_chunks(out, size, &|chunk, out| work(chunk_of(items, size, chunk), out));
}

/// Runs `work` on chunks of `size` items, with the number of each.
///
/// It calls what it is given, once for each chunk, so that all that it takes to share work among
/// threads is compiled once for each type of items, and not for each call.
pub(crate) fn in_chunks<T: Send>(
    items: &mut [T],
    size: usize,
    work: &(dyn Fn(usize, &mut [T]) + Sync),
) {
    if items.len() <= size {
        work(0, items);
    } else {
        items.par_chunks_mut(size).enumerate().for_each(|(chunk, items)| work(chunk, items));
    }
}

/// What `work` makes of the numbers below `count`, each a task; as [`in_chunks`] it calls.
fn collect<R: Send>(count: usize, work: &(dyn Fn(usize) -> R + Sync)) -> Vec<R> {
    (0..count).into_par_iter().with_max_len(1).map(work).collect()
}

/// The items of a chunk.
fn chunk_of<T>(items: &[T], size: usize, chunk: usize) -> &[T] {
    let first = chunk * size;
    &items[first..items.len().min(first + size)]
}

/// Runs `work` on each of a few tasks.
pub(crate) fn each<T: Send>(tasks: Vec<T>, work: impl Fn(T) + Send + Sync) {
    if tasks.len() > 1 {
        tasks.into_par_iter().for_each(work);
    } else {
        tasks.into_iter().for_each(work);
    }
}
