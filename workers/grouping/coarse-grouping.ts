/**
 * The coarse grouping for errors that create a new issue nearly every time (a generated function
 * name, an id that no rule knows, a fingerprint of random text): the type and the crash frame, or
 * the beginning of the message. It is used only while issues of that kind come in bursts, which
 * commits count (commit/burst-gate.ts). Part of g1: a change of any
 * hash must be meant; the recorded corpus shows it.
 */
import type { NormalizedEvent } from '../normalize/event.ts'
import type { Evidence } from './evidence.ts'
import { appendFramePieces, type FrameContext } from './frames/frame-pieces.ts'
import type { Grouping } from './grouping.ts'
import { hashPieces, type Piece, piece } from './pieces.ts'
import { ownSdkPrefix } from './rules/own-sdk.ts'
import { showPieces } from './shown-pieces.ts'
import { cutText } from './text/cut-text.ts'
import { messageSource, messageText } from './text/message-text.ts'
import { crashFrame } from './title-event.ts'

const kindUnitsMax = 100
const prefixWords = 3
const typeUnitsMax = 256

/** The kind of an error, by which bursts are counted. */
export function kindOf(event: NormalizedEvent, evidence: Evidence): string {
  // Failures of one monitor are one issue, also when many monitors fail at once.
  if (event.sdk.startsWith(ownSdkPrefix)) {
    return cutText(`own ${event.fingerprint?.join(' ') ?? ''}`, kindUnitsMax)
  }
  const type = evidence.main?.type ?? ''
  if (type !== '') return cutText(`type ${type}`, kindUnitsMax)
  const prefix = messagePrefix(event, evidence)
  return prefix === '' ? 'no type' : cutText(`message ${prefix}`, kindUnitsMax)
}

/** Groups by kind and crash frame, and by the kind alone when even the frames create a burst. */
export function coarsen(
  event: NormalizedEvent,
  evidence: Evidence,
  context: FrameContext,
  fine: Names,
): Grouping {
  const kind = kindOf(event, evidence)
  const type = evidence.main?.type ?? ''
  const kindPiece =
    type === ''
      ? piece('message', messagePrefix(event, evidence))
      : piece('type', cutText(type, typeUnitsMax))
  const subject = type === '' ? 'how the message begins' : 'the type'
  const bare = coarseGrouping(fine, {
    pieces: [kindPiece],
    subject: `${subject} alone`,
    kind: `all of ${kind}`,
    coarser: undefined,
  })
  return coarseGrouping(fine, {
    pieces: [kindPiece, ...crashPieces(evidence, context)],
    subject: `${subject} and the frame of the crash alone`,
    kind: `crash frames of ${kind}`,
    coarser: bare,
  })
}

type Names = Pick<Grouping, 'title' | 'culprit' | 'exceptionType'>

function coarseGrouping(
  { title, culprit, exceptionType }: Names,
  of: { pieces: readonly Piece[]; subject: string; kind: string; coarser: Grouping | undefined },
): Grouping {
  const { pieces, subject, kind, coarser } = of
  const hash = hashPieces('coarse', pieces)
  const coarse: Grouping = {
    algorithm: 'g1',
    path: 'coarse',
    hashes: [{ variant: 'coarse', hash }],
    title,
    culprit,
    exceptionType,
    kind: () => kind,
    coarsen: () => coarser ?? coarse,
    explain: () => ({
      algorithm: 'g1',
      path: 'coarse',
      summary: `Grouped by ${subject}, because errors of this kind made too many new issues within an hour. A fingerprint set by the client keeps such errors together.`,
      otherwise: `Another value of ${subject.replace(/ alone$/, '')} would have made another issue. Nothing else counts until the burst is over.`,
      variants: [
        {
          name: 'coarse',
          hash,
          // A hash of this kind differs from one of the same pieces alone.
          pieces: [['limit', 'too many new issues of this kind'], ...showPieces(pieces)],
          skipped: [{ what: 'all else', why: 'too many new issues' }],
        },
      ],
      replaced: [],
      rules: [],
      notes: [],
    }),
  }
  return coarse
}

function crashPieces({ frames }: Evidence, context: FrameContext): Piece[] {
  const name = crashFrame(frames, context)?.name
  const pieces: Piece[] = []
  if (name === undefined) return pieces
  if (!name.minified) appendFramePieces(pieces, name)
  else if (name.file !== '') pieces.push(piece('file', name.file))
  return pieces
}

function messagePrefix(event: NormalizedEvent, { main }: Evidence): string {
  const text = messageText(main?.value || messageSource(event.message), undefined)
  return text.split(/\s+/, prefixWords).join(' ')
}
