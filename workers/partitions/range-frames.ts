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

/** A frame that cannot be decoded has no number; the digest stores it as a dead letter. */
export function arrivalOf(
  { bytes }: LogMessage,
  progress: FrameProgress,
  ownMark: number,
): FrameArrival | 'foreign' {
  const frame = readFrame(bytes)
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

export function describeForeign({ streamSeq, bytes }: LogMessage): ForeignFrame[] {
  const frame = readFrame(bytes)
  if (frame === undefined) return []
  const { instanceId, installationMark, recordCount } = frame
  return [{ streamSeq, instanceId, installationMark, recordCount }]
}

export function projectsOf(messages: readonly LogMessage[]): ProjectId[] {
  const projects = new Set<ProjectId>()
  for (const { bytes } of messages) {
    visitReadable(bytes, ({ kind, projectId }) => {
      if (kind === 'event' || kind === 'feedback' || kind === 'session') projects.add(projectId)
    })
  }
  return [...projects].sort((a, b) => a - b)
}

/** Returns the ordinals of all records, ordered by project and then by stream position. */
export function ordinalsOf(messages: readonly LogMessage[]): number[] {
  const byProject = new Map<ProjectId, number[]>()
  for (const [frameIndex, { bytes }] of messages.entries()) {
    let recordIndex = 0
    visitReadable(bytes, ({ projectId }) => {
      const ordinal = recordOrdinal(frameIndex, recordIndex++)
      const ordinals = byProject.get(projectId)
      if (ordinals === undefined) byProject.set(projectId, [ordinal])
      else ordinals.push(ordinal)
    })
  }
  return [...byProject.values()].flat()
}

function visitReadable(bytes: Uint8Array, visit: (record: RecordIdentity) => void): void {
  const frame = readFrame(bytes)
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
