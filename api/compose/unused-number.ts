/**
 * Returns the smallest number that `pattern` does not find in `text`, for a mark that an author
 * cannot have written. `pattern` is global and captures the digits.
 */
export function unusedNumber(text: string, pattern: RegExp): number {
  const used = new Set(Array.from(text.matchAll(pattern), ([, digits]) => digits))
  let no = 0
  while (used.has(String(no))) no += 1
  return no
}
