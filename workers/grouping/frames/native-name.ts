/**
 * The name of a native function as the lists of functions write it. Part of g1: a change of any
 * hash must be meant.
 */
/** Without arguments and the version of the library: `std::terminate()`, `clone@@GLIBC_2.2.5`. */
export function bareNativeName(name: string): string {
  const at = name.indexOf('@')
  const end = at > 0 ? at : name.length
  if (name.endsWith(']')) return name.slice(0, end)
  const open = name.indexOf('(')
  return name.slice(0, open > 0 && open < end ? open : end)
}
