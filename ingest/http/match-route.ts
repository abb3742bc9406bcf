/**
 * Which endpoint a path means: any prefix a proxy has left on, repeated slashes, a slash at the end or none. The
 * common spellings of the busiest never come here; the HTTP server has exact routes for them.
 */
export interface RoutePattern {
  /** What stands behind `/api/{project_id}/`; a segment that begins with a colon takes what comes. */
  readonly paths: readonly string[]
}

export interface MatchedRoute<Pattern> {
  readonly pattern: Pattern
  readonly projectText: string
  /** What the segments with a colon took, in order, percent-decoded. */
  readonly parameters: readonly string[]
}

export function matchRoute<Pattern extends RoutePattern>(
  path: string,
  patterns: readonly Pattern[],
): MatchedRoute<Pattern> | undefined {
  const segments = path.split('/').filter((segment) => segment !== '')
  for (const pattern of patterns) {
    for (const wanted of pattern.paths) {
      const parameters = parametersBehind(segments, wanted.split('/'))
      const [projectText, ...others] = parameters ?? []
      if (projectText !== undefined) return { pattern, projectText, parameters: others }
    }
  }
  return undefined
}

/** The project and the parameters, when the path ends as wanted. */
function parametersBehind(
  segments: readonly string[],
  wanted: readonly string[],
): readonly string[] | undefined {
  const all = ['api', ':project', ...wanted]
  const offset = segments.length - all.length
  if (offset < 0) return undefined
  const parameters: string[] = []
  for (const [index, word] of all.entries()) {
    const segment = segments[offset + index]!
    if (word.startsWith(':')) parameters.push(decoded(segment))
    else if (segment !== word) return undefined
  }
  return parameters
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
