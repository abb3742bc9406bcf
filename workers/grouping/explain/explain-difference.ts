/** Explains why two events are not in one issue: the first difference between what was hashed. */
import type { ExplainedVariant, GroupingExplanation } from '../grouping.ts'

type ShownPiece = readonly [kind: string, value: string]

export interface GroupingDifference {
  /** The variants that were compared, by name. */
  readonly left: { readonly variant: string; readonly piece: ShownPiece | undefined }
  readonly right: { readonly variant: string; readonly piece: ShownPiece | undefined }
  /** Position in both lists of pieces. */
  readonly pieceIndex: number
  readonly sentence: string
}

/** Undefined when they share a hash and so belong to one issue. */
export function firstDifference(
  a: GroupingExplanation,
  b: GroupingExplanation,
): GroupingDifference | undefined {
  const hashes = new Set(a.variants.map(({ hash }) => hash))
  if (b.variants.some(({ hash }) => hashes.has(hash))) return undefined

  const pair = comparablePair(a, b)
  if (pair === undefined) return undefined
  const [left, right] = pair
  const longer = Math.max(left.pieces.length, right.pieces.length)
  let pieceIndex = 0
  while (pieceIndex < longer && samePiece(left.pieces[pieceIndex], right.pieces[pieceIndex])) {
    pieceIndex++
  }
  const leftPiece = left.pieces[pieceIndex]
  const rightPiece = right.pieces[pieceIndex]
  const difference = describeDifference(leftPiece, rightPiece)
  const paths =
    a.path === b.path ? '' : ` They were grouped in different ways: by ${a.path} and by ${b.path}.`
  return {
    left: { variant: left.name, piece: leftPiece },
    right: { variant: right.name, piece: rightPiece },
    pieceIndex,
    sentence: `${difference}${paths}`,
  }
}

/** Compares variants of the same name; the user's own frames come before all frames. */
function comparablePair(
  a: GroupingExplanation,
  b: GroupingExplanation,
): readonly [ExplainedVariant, ExplainedVariant] | undefined {
  for (const left of a.variants) {
    const right = b.variants.find(({ name }) => name === left.name)
    if (right !== undefined) return [left, right]
  }
  const left = a.variants[0]
  const right = b.variants[0]
  return left === undefined || right === undefined ? undefined : [left, right]
}

function samePiece(left: ShownPiece | undefined, right: ShownPiece | undefined): boolean {
  return left?.[0] === right?.[0] && left?.[1] === right?.[1]
}

function describeDifference(left: ShownPiece | undefined, right: ShownPiece | undefined): string {
  if (left !== undefined && right !== undefined) {
    if (left[0] === right[0]) return `The ${left[0]} differs: "${left[1]}" and "${right[1]}".`
    return `Where one has the ${left[0]} "${left[1]}", the other has the ${right[0]} "${right[1]}".`
  }
  const extra = left ?? right
  if (extra === undefined) return 'They differ in a part that is not shown.'
  return `One goes on with the ${extra[0]} "${extra[1]}" where the other ends.`
}
