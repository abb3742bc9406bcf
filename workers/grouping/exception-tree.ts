/**
 * Orders exceptions that name their parent (exception groups). Members that are equal count once,
 * members that differ are sorted, so neither the number of equal failures nor the order of
 * completion matters; a group with one distinct member is only a wrapper and is dropped. Ids that
 * form no tree do not change the list, nor does a plain chain whose ids count from the cause. Part
 * of g1: a change of any hash must be meant.
 */
import type { ChainedException } from './evidence.ts'
import type { Piece } from './pieces.ts'

interface Node {
  readonly entry: ChainedException
  readonly isGroup: boolean
  readonly children: Node[]
}

/** Returns the entries with the oldest cause first, like the list that was sent. */
export function orderExceptionTree(
  entries: readonly ChainedException[],
): readonly ChainedException[] {
  if (!entries.some(({ exception }) => exception.mechanism?.isExceptionGroup === true))
    return entries
  const root = buildTree(entries)
  return root === undefined || isChainFromCause(root, entries) ? entries : flatten(root)
}

/**
 * The Go client 0.33 marks every error of a wrapped one as a group and counts from the cause, which
 * stands first and has the id 0. As a group, the cause would be dropped.
 */
function isChainFromCause(root: Node, entries: readonly ChainedException[]): boolean {
  let node: Node | undefined = root
  for (const entry of entries) {
    if (node?.entry !== entry || node.children.length > 1) return false
    node = node.children[0]
  }
  return true
}

function buildTree(entries: readonly ChainedException[]): Node | undefined {
  const nodes = new Map<number, Node>()
  for (const entry of entries) {
    const id = entry.exception.mechanism?.exceptionId
    if (id === undefined || nodes.has(id)) return undefined
    const isGroup = entry.exception.mechanism?.isExceptionGroup === true
    nodes.set(id, { entry, isGroup, children: [] })
  }
  let root: Node | undefined
  for (const node of nodes.values()) {
    const parentId = node.entry.exception.mechanism?.parentId
    if (parentId === undefined) {
      if (root !== undefined) return undefined
      root = node
      continue
    }
    const parent = nodes.get(parentId)
    if (parent === undefined || parent === node) return undefined
    parent.children.push(node)
  }
  // Nodes of a cycle are not reachable from the root.
  if (root === undefined || countNodes(root) !== nodes.size) return undefined
  return root
}

function countNodes(root: Node): number {
  let nodeCount = 0
  const open = [root]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    nodeCount++
    open.push(...node.children)
  }
  return nodeCount
}

/** The depth is bounded by the number of exceptions of a normalised event. */
function flatten(node: Node): readonly ChainedException[] {
  if (!node.isGroup) return [...node.children.flatMap(flatten), node.entry]

  const members = distinctMembers(node)
  if (members.length === 0) return [node.entry]
  if (members.length === 1) return members[0]!
  return [...members.flat(), node.entry]
}

function distinctMembers(group: Node): readonly (readonly ChainedException[])[] {
  const members = nearestMembers(group)
    .map(flatten)
    .map((chain) => ({ chain, appKey: keyOf(chain, 'app'), systemKey: keyOf(chain, 'system') }))
  const hasApp = members.some(({ chain }) => chain.some(({ stack }) => stack.app.length > 0))
  members.sort((a, b) => compare(a.appKey, b.appKey) || compare(a.systemKey, b.systemKey))
  const key = (member: (typeof members)[number]) => (hasApp ? member.appKey : member.systemKey)
  return members
    .filter((member, index) => index === 0 || key(member) !== key(members[index - 1]!))
    .map(({ chain }) => chain)
}

/** The nearest descendants that are no groups themselves. */
function nearestMembers(group: Node): Node[] {
  return group.children.flatMap((child) =>
    child.isGroup && child.children.length > 0 ? nearestMembers(child) : [child],
  )
}

/** The key begins with the type of the member, so members are sorted by type. */
function keyOf(chain: readonly ChainedException[], variant: 'app' | 'system'): string {
  const pairs = (pieces: readonly Piece[]) => pieces.map(({ kind, value }) => [kind, value])
  const newestFirst = chain.toReversed().map((entry) => pairs(entry[variant]))
  return JSON.stringify([chain.at(-1)?.exception.type ?? '', newestFirst])
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0
}
