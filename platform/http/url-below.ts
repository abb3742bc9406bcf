/** Adds a path, which begins with a slash, to a URL that may end in slashes. */
export function urlBelow(url: string, path: string): string {
  return `${withoutSlashes(url)}${path}`
}

/** Removes slashes at the end. */
export function withoutSlashes(text: string): string {
  let end = text.length
  while (text[end - 1] === '/') end -= 1
  return text.slice(0, end)
}
