/** The evidence that grouping has read from an event, before anything is hashed. */
import type { EventException, Frame } from '../normalize/event.ts'
import type { Stack } from './frames/read-stack.ts'
import type { HashDomain, Piece } from './pieces.ts'

export type GroupingPath =
  | 'fingerprint'
  | 'hybrid-fingerprint'
  | 'checksum'
  | 'built-in'
  | 'exception-stack'
  | 'minified'
  | 'thread-stack'
  | 'stack'
  | 'exception-value'
  | 'security'
  | 'message'
  | 'fallback'

export interface Variant {
  readonly name: string
  readonly domain: HashDomain
  readonly pieces: readonly Piece[]
  /** The hash itself, when the client sent a checksum that is used unchanged. */
  readonly given: string | undefined
  readonly frameCount: number
}

export interface Evidence {
  readonly path: GroupingPath
  /** The path without a hybrid fingerprint of the client; equal to `path` for all other events. */
  readonly basePath: GroupingPath
  readonly variants: readonly [Variant, ...Variant[]]
  readonly main: EventException | undefined
  /** The stack that the title and the culprit are read from. */
  readonly frames: readonly Frame[]
  readonly exceptionCount: number
}

/** One exception of the chain with its pieces of each variant. */
export interface ChainedException {
  readonly exception: EventException
  readonly stack: Stack
  readonly app: readonly Piece[]
  readonly system: readonly Piece[]
}
