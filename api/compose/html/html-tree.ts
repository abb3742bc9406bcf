/**
 * The tree that the steps of composing work on. It is parsed from the sanitiser's output without
 * decoding: texts and attribute values stay escaped, exactly as they will be sent. A step that
 * reads a value decodes it first (`decode-entities.ts`); a step that writes one escapes it.
 */
import { type ChildNode, type Document, type Element, isTag, type ParentNode } from 'domhandler'
import { parseDocument } from 'htmlparser2'

export function parseHtml(html: string): Document {
  return parseDocument(html, { decodeEntities: false })
}

/** Visits elements in document order. `visit` may change attributes, but must not move elements. */
export function eachElement(parent: ParentNode, visit: (element: Element) => void): void {
  for (const child of parent.children) {
    if (!isTag(child)) continue
    visit(child)
    eachElement(child, visit)
  }
}

export function findElement(
  parent: ParentNode,
  isWanted: (element: Element) => boolean,
): Element | undefined {
  for (const child of parent.children) {
    if (!isTag(child)) continue
    const found = isWanted(child) ? child : findElement(child, isWanted)
    if (found !== undefined) return found
  }
  return undefined
}

/** Replaces all children and the links between siblings, which selectors such as `a + b` follow. */
export function setChildren(parent: ParentNode, children: readonly ChildNode[]): void {
  parent.children = [...children]
  for (const [index, child] of children.entries()) {
    child.parent = parent
    child.prev = children[index - 1] ?? null
    child.next = children[index + 1] ?? null
  }
}

export function replaceNode(node: ChildNode, replacements: readonly ChildNode[]): void {
  const { parent } = node
  if (parent === null) return
  setChildren(
    parent,
    parent.children.flatMap((child) => (child === node ? replacements : [child])),
  )
}

/** Removes white space at both ends of the tree. */
export function trimTree(tree: Document): void {
  const children = [...tree.children]
  const trimEnd = (at: 0 | -1, trim: (text: string) => string) => {
    for (let child = children.at(at); child?.type === 'text'; child = children.at(at)) {
      child.data = trim(child.data)
      if (child.data !== '') return
      if (at === 0) children.shift()
      else children.pop()
    }
  }
  trimEnd(0, (text) => text.trimStart())
  trimEnd(-1, (text) => text.trimEnd())
  setChildren(tree, children)
}
