/** Characters whose lower case is not what ClickHouse compares them with. */
const special = /[\u017f\u0130\u1e9e\u03c2]/

/**
 * Lower case character by character, so that a part of a text stays a part of it: no character
 * depends on its neighbours, as a final sigma does, and none becomes two, as a capital I with a dot
 * does.
 */
export function foldCase(text: string): string {
  const lower = text.toLowerCase()
  // Lower case of a text may have a final sigma that the text has not.
  if (!special.test(text) && !special.test(lower)) return lower
  const parts = text.includes('\u0130')
    ? text.split('\u0130').map((part) => part.toLowerCase())
    : [lower]
  return parts.join('\u0130').replaceAll('\u017f', 's').replaceAll('\u03c2', '\u03c3')
}
