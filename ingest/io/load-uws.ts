/**
 * uWebSockets.js is a native binary per platform and Node line, and no release covers all supported
 * Node versions. Two releases are installed, and the first that loads is used.
 */
import { createRequire } from 'node:module'
import { setHttpHeaderBytesMax } from '#platform/env.ts'
import { KiB } from '#schemas/limits.ts'

export type Uws = typeof import('uWebSockets.js')

const packages = ['uWebSockets.js', 'uWebSockets.js-next']

export function loadUws(): Uws {
  setHttpHeaderBytesMax(16 * KiB)
  const require = createRequire(import.meta.url)
  const causes: unknown[] = []
  for (const name of packages) {
    try {
      return require(name)
    } catch (cause) {
      causes.push(cause)
    }
  }
  throw new AggregateError(
    causes,
    `no uWebSockets.js binary loads on Node ${process.versions.node} (${process.platform} ${process.arch}): use Node 20, 22, 24 or 26 on a supported platform, and run npm install with that same Node`,
  )
}
