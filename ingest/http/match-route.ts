/**
 * Finds the endpoint of a path. A prefix that a proxy left on, repeated slashes and a trailing
 * slash are accepted. The usual spellings of the busiest endpoints have exact routes in the HTTP
 * server and never come here.
 */
export interface RoutePattern {
  /** The part after `/api/{project_id}/`. Segments that begin with a colon are parameters. */
  readonly paths: readonly string[]
}

export interface MatchedRoute<Pattern> {
  readonly pattern: Pattern
  readonly projectText: string
  /** Values of the parameters in order, percent-decoded. */
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

/** The project and the parameters, if the path ends with the wanted segments. */
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
