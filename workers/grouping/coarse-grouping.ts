/**
 * The grouping of last resort, for errors that make a new issue nearly every time (a generated function name, an id that no
 * rule knows, a fingerprint of random text): the type and the frame where it happened, or how the message begins. It is only
 * used while a project is flooded with issues of that kind; the commit counts them (commit/flood-gate.ts). Part of g1: frozen
 * once shipped, a change is g2.
 */
import type { NormalizedEvent } from '../normalize/event.ts'
import { cutText } from './cut-text.ts'
import { appendFramePieces, type FrameContext } from './frame-pieces.ts'
import type { Evidence } from './group-v1.ts'
import type { Grouping } from './grouping.ts'
import { messageSource, messageText } from './message-text.ts'
import { hashPieces, type Piece, piece } from './pieces.ts'
import { crashFrame } from './title-event.ts'

const kindUnitsMax = 100
const prefixWords = 3

/** What a flood is counted by. */
export function kindOf(event: NormalizedEvent, evidence: Evidence): string {
  const type = evidence.main?.type ?? ''
  if (type !== '') return cutText(`type ${type}`, kindUnitsMax)
  const prefix = messagePrefix(event, evidence)
  return prefix === '' ? 'no type' : cutText(`message ${prefix}`, kindUnitsMax)
}

export function coarsen(
  event: NormalizedEvent,
  evidence: Evidence,
  context: FrameContext,
  fine: Pick<Grouping, 'title' | 'culprit' | 'exceptionType'>,
): Grouping {
  const pieces: Piece[] = []
  const type = evidence.main?.type ?? ''
  if (type !== '') pieces.push(piece('type', cutText(type, 256)))
  else pieces.push(piece('message', messagePrefix(event, evidence)))
  const frame = crashFrame(evidence.frames, context)?.name
  if (frame?.minified === true) {
    if (frame.file !== '') pieces.push(piece('file', frame.file))
  } else if (frame !== undefined) {
    appendFramePieces(pieces, frame)
  }
  const hash = hashPieces('coarse', pieces)
  const kind = kindOf(event, evidence)
  const subject = type === '' ? 'how the message begins' : 'the type'
  const coarse: Grouping = {
    algorithm: 'g1',
    path: 'coarse',
    hashes: [{ variant: 'coarse', hash }],
    title: fine.title,
    culprit: fine.culprit,
    exceptionType: fine.exceptionType,
    kind: () => kind,
    coarsen: () => coarse,
    explain: () => ({
      algorithm: 'g1',
      path: 'coarse',
      summary: `Grouped by ${subject} and the frame of the crash alone, because errors of this kind made too many new issues within an hour. A fingerprint set by the client keeps them apart or together.`,
      variants: [
        {
          name: 'coarse',
          hash,
          pieces: pieces.map(({ kind, value }) => [kind, cutText(value, 512)] as const),
          skipped: [{ what: 'all other frames and the message', why: 'too many new issues' }],
        },
      ],
      replaced: [],
      rules: [],
      notes: [`the kind that flooded: ${kind}`],
    }),
  }
  return coarse
}

function messagePrefix(event: NormalizedEvent, { main }: Evidence): string {
  const text = messageText(main?.value || messageSource(event.message), undefined)
  return text.split(/\s+/, prefixWords).join(' ')
}
