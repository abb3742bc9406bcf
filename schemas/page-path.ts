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

/** Paths of the dashboard's pages, to which notifications link. */
export function issuePath(projectId: string, issueId: string): string {
  return `/projects/${projectId}/issues/${issueId}`
}

export function monitorPath(projectId: string, slug: string): string {
  return `/projects/${projectId}/monitors/${encodeURIComponent(slug)}`
}

export function ideaPath(projectId: string, ideaId: string): string {
  return `/projects/${projectId}/ideas/${ideaId}`
}

export function feedbackPath(projectId: string, feedbackId: string): string {
  return `/projects/${projectId}/feedback/${feedbackId}`
}
