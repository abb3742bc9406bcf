/**
 * The hashed pieces as explanations show them, in the order of the hash, which is the order of
 * their weight. Where a piece is too long, or there are too many, a digest stands for the rest:
 * what is shown is the same exactly when the hashed pieces are the same.
 */
import { hashPieces, type Piece } from './pieces.ts'
import { cutText } from './text/cut-text.ts'

export type ShownPiece = readonly [kind: string, value: string]

export const piecesShownMax = 40
const shownUnitsMax = 512
const digestUnits = 12

export function showPieces(pieces: readonly Piece[]): ShownPiece[] {
  if (pieces.length <= piecesShownMax) return pieces.map(showPiece)
  const rest = pieces.slice(piecesShownMax - 1)
  return [
    ...pieces.slice(0, piecesShownMax - 1).map(showPiece),
    ['more', `${rest.length} further pieces #${digestOf(rest)}`],
  ]
}

function showPiece(piece: Piece): ShownPiece {
  const text = (piece.shown ?? piece.value).toWellFormed()
  if (text.length <= shownUnitsMax) return [piece.kind, text]
  const mark = `… #${digestOf([piece])}`
  return [piece.kind, `${cutText(text, shownUnitsMax - mark.length)}${mark}`]
}

function digestOf(pieces: readonly Piece[]): string {
  return hashPieces('custom', pieces).slice(0, digestUnits)
}
