/**
 * What the two manglings of Rust symbols and the versions of its runtime have in common. Part of
 * g1, data included: a change of any hash must be meant.
 */

// cspell:ignore impls manglings

/** Where a panic is thrown. `std::panicking` also has the `catch_unwind` at the outer end. */
const rustThrow =
  /^(?:core::panicking::|std::panicking::(?:begin_panic|panic_|rust_panic|default_hook|resume_unwind)|std::panic::(?:panic_any|resume_unwind)|core::(?:option|result)::(?:unwrap|expect)_(?:failed|none)|core::slice::index::slice_|core::str::slice_error|core::cell::panic_|alloc::raw_vec::(?:handle_error|capacity_overflow)|alloc::alloc::handle_alloc_error)/

export function isRustThrow(name: string): boolean {
  return rustThrow.test(name) || name.includes('__rust_end_short_backtrace')
}

const starts = [
  'std::rt::lang_start',
  'std::sys::',
  'std::sys_common::',
  'std::thread::',
  'std::panicking::',
  'std::panic::catch_unwind',
  'core::panic::unwind_safe::',
  'core::ops::function::Fn',
  'core::ops::function::impls::',
  '__rust_begin_short_backtrace',
]

/** Frames between the start of a thread and the user's function. */
export function isRustStart(name: string): boolean {
  for (const start of starts) {
    const at = name.indexOf(start)
    // In `<shop::Cart<std::sys::X>>::add` the name is an argument and not the function.
    if (at === 0 || (at > 0 && isFunctionPath(name, at))) return true
  }
  return false
}

/** The trait or type of the function itself, not one of its arguments. */
function isFunctionPath(name: string, at: number): boolean {
  let depth = 0
  for (let index = 0; index < at; index++) {
    const unit = name.charCodeAt(index)
    if (unit === 0x3c) depth++
    else if (unit === 0x3e && name.charCodeAt(index - 1) !== 0x2d) depth--
  }
  return depth === 0 || (depth === 1 && (name.startsWith('<') || name.startsWith('_<')))
}

const runtime = /^(?:core|alloc|std)::/

/**
 * True for `<usize as core::ops::Add>::add`: neither the type nor the trait is of the program. For
 * `<shop::Cart as core::ops::Drop>::drop` the type is.
 */
export function isRuntimeImpl(name: string): boolean {
  if (!name.startsWith('<') && !name.startsWith('_<')) return false
  const as = name.indexOf(' as ')
  const type = name
    .slice(name.indexOf('<') + 1, as === -1 ? undefined : as)
    .replace(/^(?:&(?:'\w+ )?(?:mut )?|\*(?:const|mut) |dyn |\[|<)+/, '')
  if (runtime.test(type)) return true
  return as !== -1 && !/^[A-Za-z_]\w*(?:\[[0-9a-f]+\])?::/.test(type)
}
