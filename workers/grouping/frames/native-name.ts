/**
 * The name of a native function as the lists of functions write it. Part of g1: a change of any
 * hash must be meant.
 */
import { readLegacySymbol } from './rust-names.ts'

/** Decodes a Rust symbol that the client sent as it stands in the program. */
export function nativeName(name: string): string {
  if (name.charCodeAt(0) !== 0x5f || !(name.startsWith('_ZN') || name.startsWith('__ZN')))
    return name
  return readLegacySymbol(name) || name
}

/** Without arguments and the version of the library: `std::terminate()`, `clone@@GLIBC_2.2.5`. */
export function bareNativeName(name: string): string {
  const at = name.indexOf('@')
  const end = at > 0 ? at : name.length
  if (name.endsWith(']')) return name.slice(0, end)
  const open = name.indexOf('(')
  return name.slice(0, open > 0 && open < end ? open : end)
}
