const pathCharactersMax = 500

/**
 * The path of a page. The query is removed because it may contain personal data, and the host
 * because it is the project's own.
 */
export function pagePath(url: string): string | undefined {
  if (url.trim() === '') return undefined
  try {
    const { pathname } = new URL(url.trim(), 'http://relative.invalid')
    return pathname.length > pathCharactersMax
      ? `${pathname.slice(0, pathCharactersMax - 1)}…`
      : pathname
  } catch {
    return undefined
  }
}
