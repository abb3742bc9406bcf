/**
 * A mutant is a planted error: one change of one place in the product's sources. The place is named
 * by a comment, `// mutant: <place>`, and what changes is the first occurrence of `find` below it.
 * Both are compared without regard to line breaks and trailing commas, so that reformatting the
 * code does not move a mutant.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Mutant {
  /** What is wrong then, as a sentence without a full stop. */
  readonly name: string
  /** Name in the marker comment; several mutants may share a place. */
  readonly place: string
  readonly find: string
  readonly replace: string
}

/** Folders in which places are marked. */
export const markedFolders = ['ingest', 'workers', 'platform', 'test/simulation']

/** How far below its marker the code may begin. */
const linesBelowMarkerMax = 12

/** Path of each marked place, relative to `root`. A place that two comments name is an error. */
export function findPlaces(root: string, folders: readonly string[]): Map<string, string> {
  const places = new Map<string, string>()
  for (const folder of folders) {
    for (const name of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })) {
      if (!name.endsWith('.ts') || name.endsWith('.test.ts')) continue
      const path = join(folder, name)
      for (const [, place] of readFileSync(join(root, path), 'utf8').matchAll(markerPattern)) {
        if (places.has(place!)) throw new Error(`the place "${place}" is marked twice`)
        places.set(place!, path)
      }
    }
  }
  return places
}

const markerPattern = /^\s*\/\/ mutant: ([a-z0-9-]+)$/gm

/** The source with the error in it. */
export function plant(source: string, { name, place, find, replace }: Mutant): string {
  const markers = [...source.matchAll(markerPattern)].filter(([, marked]) => marked === place)
  const [marker] = markers
  if (marker === undefined || markers.length > 1) {
    throw new Error(`mutant "${name}": ${markers.length} comments mark "${place}"`)
  }
  const from = marker.index + marker[0].length
  const below = source.slice(from)
  const found = patternOf(find).exec(below)
  const linesAway = found === null ? 0 : below.slice(0, found.index).split('\n').length - 1
  if (found === null || linesAway > linesBelowMarkerMax) {
    throw new Error(`mutant "${name}": its code is not below the marker "${place}"`)
  }
  const planted = below.slice(0, found.index) + replace + below.slice(found.index + found[0].length)
  if (planted === below) throw new Error(`mutant "${name}" changes nothing`)
  return source.slice(0, from) + planted
}

/** Matches the code however it is broken into lines. */
function patternOf(code: string): RegExp {
  const tokens = code.match(/[\w$#]+|\s+|[^\w$#\s]/g)?.filter((token) => token.trim() !== '') ?? []
  const parts = tokens.map((token) => {
    const text = token.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
    return /^[)\]}]$/.test(token) ? `,?\\s*${text}` : text
  })
  return new RegExp(parts.join('\\s*'))
}
