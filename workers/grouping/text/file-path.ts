/**
 * Tells paths of files and keys of object stores, which are data, from routes (`/api/orders`) and
 * modules (`lodash/fp`), which name the code. A file of source code keeps its name, because it
 * tells where something failed; its folder differs between machines and deploys. Part of g1.
 */

// cspell:ignore sdcard haml

/** What a path is replaced by: all of it, its folder only, or nothing. */
export type PathKind = 'whole' | 'folder' | 'none'

// biome-ignore format: read by eye
const fileSystemRoots = new Set([
  'home', 'Users', 'tmp', 'var', 'opt', 'usr', 'etc', 'srv', 'mnt', 'private', 'root', 'run', 'proc', 'dev', 'sys', 'bin', 'sbin',
  'Volumes', 'Applications', 'Library', 'System', 'workspace', 'sdcard', 'nix', 'snap', 'layers', 'lib64',
])

// biome-ignore format: read by eye
const sourceExtensions = new Set([
  'js', 'mjs', 'cjs', 'jsx', 'ts', 'mts', 'cts', 'tsx', 'vue', 'svelte', 'astro', 'py', 'pyx', 'rb', 'erb', 'haml', 'rs', 'go', 'php', 'phtml', 'twig',
  'java', 'kt', 'kts', 'scala', 'groovy', 'clj', 'c', 'cc', 'cpp', 'cxx', 'h', 'hpp', 'm', 'mm', 'swift', 'cs', 'fs', 'vb', 'cshtml', 'razor',
  'ex', 'exs', 'erl', 'dart', 'lua', 'pl', 'pm', 'r', 'jl', 'sql', 'sh', 'html', 'css', 'scss', 'less',
])

const extension = /\.([A-Za-z][A-Za-z0-9]{0,7})$/

/** A path that starts with a slash, a drive or `~`; one that is cut has no known extension. */
export function absolutePathKind(path: string, isCut: boolean): PathKind {
  if (path.startsWith('.')) return relativePathKind(path, isCut)
  const isWindows = /^(?:[A-Za-z]:|\\\\)/.test(path)
  const ending = isCut ? undefined : extension.exec(path)?.[1]
  const hasFolder = path.indexOf('/', 1) !== -1 || isWindows
  if (ending !== undefined && sourceExtensions.has(ending.toLowerCase())) {
    return hasFolder ? 'folder' : 'none'
  }
  if (isWindows || path.startsWith('~')) return 'whole'
  const root = path.slice(1, path.indexOf('/', 1) === -1 ? undefined : path.indexOf('/', 1))
  if (fileSystemRoots.has(root)) return hasFolder ? 'whole' : 'none'
  return ending !== undefined && hasFolder ? 'whole' : 'none'
}

/** A path without a root: a key such as `users/12/avatar.png`. */
export function relativePathKind(path: string, isCut: boolean): PathKind {
  const ending = isCut ? undefined : extension.exec(path)?.[1]
  if (ending === undefined || sourceExtensions.has(ending.toLowerCase())) return 'none'
  return 'whole'
}

/** Where the name of the file starts. */
export function nameStart(path: string): number {
  return Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\'))
}
