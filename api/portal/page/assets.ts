/**
 * Files of the page. Their URL contains a hash of all of them, so that browsers may cache them for
 * ever.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { projectRoot } from '#platform/project-root.ts'
import type { ApiInstance } from '../../http/route.ts'

export interface PageAssets {
  readonly css: string
  readonly js: string
  readonly icon: string
  /** Modules that the script imports, for `modulepreload`. */
  readonly jsParts: readonly string[]
}

const folder = join(projectRoot, 'web/portal')
const styles = [
  'colors.css',
  'base.css',
  'forms.css',
  'list.css',
  'cards.css',
  'idea.css',
  'comments.css',
  'narrow.css',
]
/** Modules that portal.js imports. */
const jsParts = ['portal-api.js', 'portal-toast.js', 'portal-votes.js']
const script = 'text/javascript; charset=utf-8'
const types: Readonly<Record<string, string>> = {
  '.js': script,
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}
const keptForEver = 'public, max-age=31536000, immutable'
const anHour = 'public, max-age=3600'

/** Registers the files below `/portal` and returns their paths there. */
export function registerAssets(app: ApiInstance): PageAssets {
  const files = {
    'portal.css': Buffer.concat(styles.map(read)),
    'portal.js': read('portal.js'),
    ...Object.fromEntries(jsParts.map((name) => [name, read(name)])),
    'icon.svg': read('icon.svg'),
  }
  const hash = createHash('sha256').update(Buffer.concat(Object.values(files)))
  const base = `/assets/${hash.digest('hex').slice(0, 12)}`
  for (const [name, bytes] of Object.entries(files)) {
    const type = types[extname(name)] ?? 'application/octet-stream'
    serve(app, `${base}/${name}`, { bytes, type, kept: keptForEver })
  }
  // A URL that never changes, because pages of other sites contain it.
  serve(app, '/embed.js', { bytes: read('embed.js'), type: script, kept: anHour })
  return {
    css: `${base}/portal.css`,
    js: `${base}/portal.js`,
    icon: `${base}/icon.svg`,
    jsParts: jsParts.map((name) => `${base}/${name}`),
  }
}

function serve(
  app: ApiInstance,
  url: string,
  { bytes, type, kept }: { bytes: Buffer; type: string; kept: string },
): void {
  app.get(url, { schema: { hide: true } }, (_request, reply) =>
    reply
      .type(type)
      .header('cache-control', kept)
      .header('cross-origin-resource-policy', 'cross-origin')
      .send(bytes),
  )
}

function read(file: string): Buffer {
  return readFileSync(join(folder, file))
}
