/** Finds out from inlined styles whether an element of a page is visible. */
import { type ChildNode, type Element, isTag } from 'domhandler'
import {
  type Colour,
  colourIn,
  contrastOf,
  type Declarations,
  lengthPx,
  readDeclarations,
} from '../css/style-values.ts'
import { decodeEntities } from './decode-entities.ts'

interface StyledElement {
  readonly attributes: ReadonlyMap<string, string>
  readonly style: Declarations
}

const white: Colour = [255, 255, 255, 1]
const black: Colour = [0, 0, 0, 1]
const fontPxDefault = 16
const fontPxMin = 4
const opacityMin = 0.1
const contrastMin = 1.15
/** An element that is moved further than this, in pixels, is outside every screen. */
const offScreenPx = 400

/** Finds the declarations that hide elements of one page. The page must not change meanwhile. */
export class HiddenFinder {
  readonly #styled = new Map<Element, StyledElement>()

  /**
   * The declaration that hides this node, for the error message; undefined if the node is visible.
   */
  hiddenBy(node: ChildNode): string | undefined {
    const around: StyledElement[] = []
    for (let at: ChildNode | null = node; at !== null; at = at.parent as ChildNode | null) {
      if (isTag(at)) around.unshift(this.#styleOf(at))
    }
    return hidingDeclaration(around)
  }

  #styleOf(element: Element): StyledElement {
    const known = this.#styled.get(element)
    if (known !== undefined) return known
    const attributes = new Map(
      Object.entries(element.attribs).map(([name, value]) => [name, decodeEntities(value)]),
    )
    const styled = { attributes, style: readDeclarations(attributes.get('style') ?? '') }
    this.#styled.set(element, styled)
    return styled
  }
}

/** `around`: the ancestors, outermost first, and the element itself last. */
function hidingDeclaration(around: readonly StyledElement[]): string | undefined {
  let fontPx = fontPxDefault
  let opacity = 1
  let visibility: string | undefined
  let colour = black
  let background = white
  for (const element of around) {
    const { style, attributes } = element
    fontPx = lengthPx(style.get('font-size'), fontPx) ?? fontPx
    const found = removedBy(element, fontPx)
    if (found !== undefined) return found
    opacity *= opacityOf(style.get('opacity'))
    visibility = style.get('visibility') ?? visibility
    colour =
      colourIn(
        style.get('-webkit-text-fill-color') ??
          style.get('color') ??
          attributes.get('color')?.toLowerCase(),
      ) ?? colour
    const behind = colourIn(
      style.get('background-color') ??
        style.get('background') ??
        attributes.get('bgcolor')?.toLowerCase(),
    )
    if (behind !== undefined && opacityMin < behind[3]) background = behind
  }
  if (fontPx < fontPxMin) return `font-size below ${fontPxMin}px`
  if (opacity < opacityMin) return 'opacity'
  if (visibility === 'hidden' || visibility === 'collapse') return `visibility: ${visibility}`
  if (colour[3] < opacityMin) return 'a transparent colour'
  return contrastOf(colour, background) < contrastMin ? 'the colour of its background' : undefined
}

/** The declaration that removes an element and all its content from the page. */
function removedBy({ style, attributes }: StyledElement, fontPx: number): string | undefined {
  if (attributes.has('hidden')) return 'the attribute hidden'
  if (style.get('display') === 'none') return 'display: none'
  if (style.get('mso-hide') === 'all') return 'mso-hide: all'
  if (style.get('content-visibility') === 'hidden') return 'content-visibility: hidden'
  const at = (name: string) => lengthPx(style.get(name), fontPx)
  const overflow = `${style.get('overflow') ?? ''} ${style.get('overflow-y') ?? ''} ${style.get('overflow-x') ?? ''}`
  if (/hidden|clip/.test(overflow)) {
    const flat = ['height', 'max-height', 'width', 'max-width'].find((name) => (at(name) ?? 2) <= 1)
    if (flat !== undefined) return `${flat} with overflow: hidden`
  }
  const moving = [
    'left',
    'top',
    'right',
    'bottom',
    'text-indent',
    'margin-left',
    'margin-top',
    'margin',
  ]
  const moved = moving.find((name) => offScreenPx <= Math.abs(firstLength(style.get(name), fontPx)))
  if (moved !== undefined && isMoved(moved, style)) return `${moved}: ${style.get(moved)}`
  const transform = style.get('transform') ?? ''
  if (/scale[xy]?\(0(?:[.,)]|$)|translate[xy]?\(-?\d{3}/.test(transform))
    return `transform: ${transform}`
  if (/opacity\(0/.test(style.get('filter') ?? '')) return 'filter: opacity'
  if (/rect\([01]/.test(style.get('clip') ?? '')) return 'clip'
  return /inset\((?:50|100)%|circle\(0/.test(style.get('clip-path') ?? '') ? 'clip-path' : undefined
}

/**
 * `left` and its siblings move positioned elements only. A large margin to the right is layout; to
 * the left it moves the element off the page.
 */
function isMoved(name: string, style: Declarations): boolean {
  if (['left', 'top', 'right', 'bottom'].includes(name)) {
    return ['absolute', 'fixed', 'relative'].includes(style.get('position') ?? '')
  }
  return (style.get(name) ?? '').includes('-')
}

function firstLength(value: string | undefined, fontPx: number): number {
  const lengths = (value ?? '').split(/\s+/).map((part) => lengthPx(part, fontPx) ?? 0)
  return lengths.reduce((most, px) => (Math.abs(most) < Math.abs(px) ? px : most), 0)
}

function opacityOf(value: string | undefined): number {
  if (value === undefined) return 1
  const number = Number.parseFloat(value)
  if (Number.isNaN(number)) return 1
  return value.endsWith('%') ? number / 100 : number
}
