/**
 * Whether a file of a repository is the file of a stack frame. Neither says where the other begins:
 * a frame has the folder of a server or a bundler in front, and a repository may hold the sources
 * of several programs. So the ends of both paths are compared, name by name.
 */
import { namesOfPath } from '#platform/ownership/match-path.ts'

/** Bundlers compile one into another. */
const scriptEnding = /\.(?:jsx?|tsx?|[cm][jt]s)$/
/** A path with one name says little: it is believed this deep below the root of a server. */
const foldersBeforeOneName = 1

export interface CompiledPath {
  readonly names: readonly string[]
  /** The last name without the ending of a script. */
  readonly last: string
}

/** Undefined for a text that is no path. */
export function compilePath(path: string): CompiledPath | undefined {
  const query = path.indexOf('?')
  const names = namesOfPath(query === -1 ? path : path.slice(0, query))
  const last = names.at(-1)
  if (last === undefined || last.startsWith('<')) return undefined
  return { names, last: last.replace(scriptEnding, '') }
}

/** At least two names are equal, or all of the shorter path that has only one. */
export function isSameFile(frame: CompiledPath, file: CompiledPath): boolean {
  if (frame.last !== file.last) return false
  const shorter = Math.min(frame.names.length, file.names.length)
  if (shorter > 1) return frame.names.at(-2) === file.names.at(-2)
  return Math.max(frame.names.length, file.names.length) - 1 <= foldersBeforeOneName
}
