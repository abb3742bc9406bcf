/**
 * What is read of a range's frames before they are digested: their numbers, their projects and the
 * places of their records.
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

/** A frame that cannot be read has no number; the digest keeps it as a dead letter. */
export function arrivalOf(
  { bytes }: LogMessage,
  progress: FrameProgress,
  ownMark: number,
): FrameArrival | 'foreign' {
  const frame = readFrame(bytes)
  if (frame === undefined) return 'fresh'
  const { installationMark: mark } = frame
  // 0 on either side: an earlier version, or a test, which knows of no installations.
  if (mark !== 0 && ownMark !== 0 && mark !== ownMark) return 'foreign'
  return progress.add(frame.instanceId, frame.counter)
}

/** A frame of another installation, as it is logged. */
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

/** Of every record, in the order of the projects and within each in the order of the log. */
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
