import { projectPath } from '../../../url/use-project.ts'

/** Versions may contain slashes and spaces. */
export function releaseHref(
  projectId: string,
  version: string,
  query: Readonly<Record<string, string | undefined>> = {},
): string {
  const path = projectPath(projectId, `releases/${encodeURIComponent(version)}`)
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value) search.set(name, value)
  const text = search.toString()
  return text === '' ? path : `${path}?${text}`
}

export function issuesHref(projectId: string, query: string, sort?: string): string {
  const search = new URLSearchParams({ query, ...(sort === undefined ? {} : { sort }) })
  return `${projectPath(projectId, 'issues')}?${search}`
}

/** A value of a search term: quoted when it has spaces or signs of the language. */
export function searchValue(text: string): string {
  const escaped = text.replace(/[\\"]/g, '\\$&').replaceAll('*', '\\*')
  return /^[\w.@/+:-]+$/.test(text) ? text : `"${escaped}"`
}
