/**
 * Reads the frames of a range before they are digested: frame numbers, projects, and positions of
 * the records.
 */
import {
  decodeFrame,
  type Frame,
  FrameError,
  type RecordIdentity,
  visitRecordIds,
} from '#schemas/bus/frame.ts'
import type { ProjectId } from '#schemas/ids.ts'
import { recordOrdinal } from '../digest/record-ordinal.ts'
import type { FrameArrival, FrameProgress } from './frame-progress.ts'
import type { LogMessage } from './ports.ts'

/** A message and its frame, which is decoded once: a checksum of all its bytes is most of it. */
export type Framed<Message> = Message & {
  /** Undefined if the bytes are no frame; the digest stores them as a dead letter. */
  readonly frame: Frame | undefined
}

export function withFrame<Message extends { readonly bytes: Uint8Array }>(
  message: Message,
): Framed<Message> {
  return { ...message, frame: readFrame(message.bytes) }
}

/** A frame that cannot be decoded has no number. */
export function arrivalOf(
  frame: Frame | undefined,
  progress: FrameProgress,
  ownMark: number,
): FrameArrival | 'foreign' {
  if (frame === undefined) return 'fresh'
  const { installationMark: mark } = frame
  // 0 means no installation: the frame is from an earlier version or from a test.
  if (mark !== 0 && ownMark !== 0 && mark !== ownMark) return 'foreign'
  return progress.add(frame.instanceId, frame.counter)
}

/** A frame of another installation, for the log. */
export interface ForeignFrame {
  readonly streamSeq: number
  readonly instanceId: string
  readonly installationMark: number
  readonly recordCount: number
}

export function describeForeign({ streamSeq, frame }: Framed<LogMessage>): ForeignFrame[] {
  if (frame === undefined) return []
  const { instanceId, installationMark, recordCount } = frame
  return [{ streamSeq, instanceId, installationMark, recordCount }]
}

export function projectsOf(messages: readonly Framed<LogMessage>[]): ProjectId[] {
  const projects = new Set<ProjectId>()
  for (const { frame } of messages) {
    visitReadable(frame, ({ kind, projectId }) => {
      if (kind === 'event' || kind === 'feedback' || kind === 'session') projects.add(projectId)
    })
  }
  return [...projects].sort((a, b) => a - b)
}

/** Returns the ordinals of all records, ordered by project and then by stream position. */
export function ordinalsOf(messages: readonly Framed<LogMessage>[]): number[] {
  const byProject = new Map<ProjectId, number[]>()
  for (const [frameIndex, { frame }] of messages.entries()) {
    let recordIndex = 0
    visitReadable(frame, ({ projectId }) => {
      const ordinal = recordOrdinal(frameIndex, recordIndex++)
      const ordinals = byProject.get(projectId)
      if (ordinals === undefined) byProject.set(projectId, [ordinal])
      else ordinals.push(ordinal)
    })
  }
  return [...byProject.values()].flat()
}

/** Visits the records before the first one that is cut short or has a wrong length. */
export function visitReadable(
  frame: Frame | undefined,
  visit: (record: RecordIdentity) => void,
): void {
  if (frame === undefined) return
  try {
    visitRecordIds(frame, visit)
  } catch (error) {
    if (!(error instanceof FrameError)) throw error
  }
}

function readFrame(bytes: Uint8Array): Frame | undefined {
  try {
    return decodeFrame(bytes)
  } catch (error) {
    if (error instanceof FrameError) return undefined
    throw error
  }
}
