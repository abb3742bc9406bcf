/**
 * The page of the dashboard: `index.html` of its build, the same for every path. It is read again
 * when a build has replaced it.
 */
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { projectRoot } from '#platform/project-root.ts'
import { acceptedEncoding } from '../http/replies/accepted-encoding.ts'
import { matchesEtag, weakEtag } from '../http/replies/etag.ts'

/** Written by the build, and part of the container image. */
const builtFolder = join(projectRoot, 'dist/web/dashboard')

interface BuiltPage {
  /** Identifies the file that was read. */
  readonly version: string
  readonly etag: string
  readonly plain: Buffer
  readonly br: Buffer
  readonly gzip: Buffer
}

const policy = [
  `default-src 'none'`,
  `script-src 'self'`,
  `style-src 'self'`,
  `img-src 'self' data:`,
  `font-src 'self'`,
  `connect-src 'self'`,
  `frame-src 'self'`,
  `form-action 'self'`,
  `base-uri 'none'`,
  `frame-ancestors 'none'`,
  `manifest-src 'self'`,
].join('; ')

const headers = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': policy,
  'cross-origin-opener-policy': 'same-origin',
  // With no-referrer, forms would have the Origin `null`, as forms of other sites can.
  'referrer-policy': 'same-origin',
  'x-robots-tag': 'noindex, nofollow',
  vary: 'accept-encoding',
} as const

const notBuilt = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>The dashboard is not built</title></head>
<body>
<h1>The dashboard is not built</h1>
<p>This API has no files of the dashboard. Build them in the folder of Sluice, then reload this page:</p>
<pre>npm run build</pre>
<p><code>npm start</code> and the container image build them. The API itself works: see <a href="/docs">/docs</a>.</p>
</body>
</html>
`

export class DashboardPage {
  /** Of the build. */
  readonly folder: string
  readonly #path: string
  #built: BuiltPage | undefined

  constructor(folder: string = builtFolder) {
    this.folder = folder
    this.#path = join(folder, 'index.html')
  }

  /** `status` is 404 for a path that no page of the dashboard has. */
  async send(
    request: FastifyRequest,
    reply: FastifyReply,
    status: 200 | 404,
  ): Promise<FastifyReply> {
    const built = await this.#read()
    reply.headers(headers)
    if (built === undefined) return reply.code(status === 200 ? 503 : status).send(notBuilt)
    if (status === 200) {
      reply.headers({ 'cache-control': 'no-cache', etag: built.etag })
      if (matchesEtag(request.headers['if-none-match'], built.etag)) return reply.code(304).send()
    }
    const encoding = acceptedEncoding(request.headers['accept-encoding'], ['br', 'gzip'])
    if (encoding !== undefined) reply.header('content-encoding', encoding)
    return reply.code(status).send(built[encoding ?? 'plain'])
  }

  async #read(): Promise<BuiltPage | undefined> {
    try {
      const { mtimeMs, size } = await stat(this.#path)
      const version = `${mtimeMs} ${size}`
      if (this.#built?.version === version) return this.#built
      const plain = await readFile(this.#path)
      this.#built = {
        version,
        etag: weakEtag(plain),
        plain,
        br: brotliCompressSync(plain),
        gzip: gzipSync(plain),
      }
      return this.#built
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      throw error
    }
  }
}
