import type { SealedFrame } from './frame-batcher.ts'

/** Publishes frames. Sending may fail silently: only an acknowledgement counts. */
export interface FrameTransport {
  isConnected(): boolean
  send(frame: SealedFrame, token: number): void
}

/** The broker's answer to one frame. */
export type FrameAnswer =
  /** `isDuplicate`: the broker had a message with this id before, with that sequence. */
  | { readonly kind: 'stored'; readonly seq: number; readonly isDuplicate: boolean }
  | { readonly kind: 'refused'; readonly code: number; readonly description: string }
  | { readonly kind: 'no_responders' }

/**
 * `log`: every frame is logged before it is published. `broker`: only frames that the broker does
 * not accept at once are logged.
 */
export type Durability = 'log' | 'broker'
