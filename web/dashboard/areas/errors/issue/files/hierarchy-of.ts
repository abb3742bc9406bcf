/**
 * The tree of a view hierarchy: windows and what they contain, as mobile SDKs send it
 * (`event.view_hierarchy`).
 */
export interface ViewNode {
  readonly name: string
  /** Identifier, size and what is not visible. */
  readonly facts: string
  readonly children: readonly ViewNode[]
}

export interface Hierarchy {
  readonly system: string
  readonly windows: readonly ViewNode[]
  /** There are more nodes than are shown. */
  readonly isCut: boolean
}

const nodesMax = 2_000
const depthMax = 60
const textCharactersMax = 120

/** Undefined when the text is no view hierarchy. */
export function hierarchyOf(text: string): Hierarchy | undefined {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    return undefined
  }
  if (!isObject(parsed) || !Array.isArray(parsed['windows'])) return undefined
  const left = { nodes: nodesMax, isCut: false }
  const windows = nodesOf(parsed['windows'], 0, left)
  return { system: textIn(parsed, 'rendering_system'), windows, isCut: left.isCut }
}

function nodesOf(
  values: readonly unknown[],
  depth: number,
  left: { nodes: number; isCut: boolean },
): ViewNode[] {
  const nodes: ViewNode[] = []
  for (const value of values) {
    if (!isObject(value)) continue
    if (left.nodes === 0 || depthMax <= depth) {
      left.isCut = true
      break
    }
    left.nodes -= 1
    const inner = value['children']
    nodes.push({
      name: textIn(value, 'type') || 'View',
      facts: factsOf(value),
      children: Array.isArray(inner) ? nodesOf(inner, depth + 1, left) : [],
    })
  }
  return nodes
}

function factsOf(view: Readonly<Record<string, unknown>>): string {
  const name = textIn(view, 'identifier') || textIn(view, 'tag')
  const size = ['width', 'height'].map((key) => view[key])
  const [width, height] = size
  const facts = [
    name,
    typeof width === 'number' && typeof height === 'number'
      ? `${Math.round(width)} × ${Math.round(height)}`
      : '',
    isHidden(view) ? 'hidden' : '',
  ]
  return facts.filter((fact) => fact !== '').join(' · ')
}

function isHidden({ visible, visibility, alpha }: Readonly<Record<string, unknown>>): boolean {
  return visible === false || visibility === 'gone' || visibility === 'invisible' || alpha === 0
}

function textIn(value: Readonly<Record<string, unknown>>, key: string): string {
  const text = value[key]
  return typeof text === 'string' ? text.slice(0, textCharactersMax) : ''
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
