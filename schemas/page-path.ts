const pathCharactersMax = 500

/**
 * The path of a page alone: a query may hold what nobody wants to keep, and the host is the
 * project's own.
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
