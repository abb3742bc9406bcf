/**
 * Lists the imports of each file of the repository, type-only imports included, and the packages
 * that it uses. Import statements are read as text: biome keeps them in one form, and a parser
 * would make every check ten times slower.
 */
import { readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

export interface ImportGraph {
  /** Path of a file → paths of the files that it imports; relative to the root, with `/`. */
  readonly files: ReadonlyMap<string, readonly string[]>
  /** Path of a file → names of the packages that it imports, `import type` left out. */
  readonly packages: ReadonlyMap<string, readonly string[]>
}

const importPattern =
  /^(?:import|export)\s+(type\s+)?(?:[^'"`;]*?\sfrom\s+)?'([^']+)'|\bimport\('([^']+)'\)/gm

export function readImportGraph(root: string, paths: readonly string[]): ImportGraph {
  const known = new Set(paths)
  const files = new Map<string, string[]>()
  const packages = new Map<string, string[]>()
  for (const path of paths) {
    const inside: string[] = []
    const outside: string[] = []
    for (const [, isType, from, later] of readFileSync(join(root, path), 'utf8').matchAll(
      importPattern,
    )) {
      const specifier = from ?? later!
      const file = fileOf(specifier, path)
      if (file === undefined) {
        if (isType === undefined) outside.push(specifier)
      } else if (known.has(file)) inside.push(file)
    }
    files.set(path, inside)
    packages.set(path, outside)
  }
  return { files, packages }
}

/** @returns undefined when the specifier names a package. */
function fileOf(specifier: string, importer: string): string | undefined {
  if (specifier.startsWith('#')) return specifier.slice(1)
  if (specifier.startsWith('.')) return normalize(join(dirname(importer), specifier))
  return undefined
}

/**
 * Groups of files that import each other, directly or indirectly: the strongly connected components
 * of more than one file (Tarjan's algorithm).
 */
export function findCircles(files: ImportGraph['files']): string[][] {
  const circles: string[][] = []
  const indexOf = new Map<string, number>()
  const lowest = new Map<string, number>()
  const stack: string[] = []
  const isOnStack = new Set<string>()
  const visit = (file: string): void => {
    const index = indexOf.size
    indexOf.set(file, index)
    lowest.set(file, index)
    stack.push(file)
    isOnStack.add(file)
    for (const next of files.get(file) ?? []) {
      if (!indexOf.has(next)) {
        visit(next)
        lowest.set(file, Math.min(lowest.get(file)!, lowest.get(next)!))
      } else if (isOnStack.has(next)) {
        lowest.set(file, Math.min(lowest.get(file)!, indexOf.get(next)!))
      }
    }
    if (lowest.get(file) !== index) return
    const circle = stack.splice(stack.indexOf(file))
    for (const member of circle) isOnStack.delete(member)
    if (circle.length > 1) circles.push(circle.sort())
  }
  for (const file of files.keys()) if (!indexOf.has(file)) visit(file)
  return circles.sort((a, b) => a[0]!.localeCompare(b[0]!))
}

/** `start` and all files that it imports, directly or indirectly. */
export function reachableFrom(files: ImportGraph['files'], start: string): Set<string> {
  const seen = new Set([start])
  for (const file of seen) for (const next of files.get(file) ?? []) seen.add(next)
  return seen
}
