/**
 * Conditional comments (`<!--[if mso]>…<![endif]-->`), which contain the layout of an email for
 * Outlook. The sanitiser drops comments, so they are replaced by marks in its input, and the marks
 * become comment nodes in the tree. Their content is unbalanced markup that stays a string: it is
 * checked and never changed. A comment that contains anything but layout is dropped as a whole.
 */
import { type ChildNode, Comment, type Document, isText, type ParentNode, Text } from 'domhandler'
import { Parser } from 'htmlparser2'
import { unusedNumber } from '../unused-number.ts'
import { mailTags } from './allowed-html.ts'
import { eachElement, setChildren } from './html-tree.ts'

const opening = /<!--\[if [^\]<>]{1,100}\]>/y
const revealed = '<!-->'
const closing = '<![endif]-->'
const revealedClosing = `<!--${closing}`
const commentStart = '<!--'
const commentEnd = '-->'
const conditionalCharactersMax = 20_000

export class ConditionalComments {
  /** Replaces each comment that may stay by a mark. */
  readonly html: string
  readonly #kept: string[] = []
  readonly #pattern: RegExp

  constructor(html: string) {
    const prefix = `zc${unusedNumber(html, /zc(\d{1,9})c/g)}c`
    this.#pattern = new RegExp(`${prefix}(\\d+)z`, 'g')
    const endOf = conditionalCommentEnds(html)
    let marked = ''
    let from = 0
    let start = html.indexOf(commentStart)
    while (start >= 0) {
      const end = endOf(start)
      if (end !== undefined) {
        const comment = html.slice(start, end)
        marked += html.slice(from, start)
        if (isLayout(comment)) {
          marked += `${prefix}${this.#kept.length}z`
          this.#kept.push(comment)
        }
        from = end
      }
      start = html.indexOf(commentStart, end ?? start + 1)
    }
    this.html = marked + html.slice(from)
  }

  /** Only marks between tags become comments, because attributes and styles contain no comments. */
  restore(tree: Document): void {
    if (this.#kept.length === 0) return
    this.#restoreIn(tree)
    eachElement(tree, (element) => {
      for (const [name, value] of Object.entries(element.attribs)) {
        element.attribs[name] = this.withoutMarks(value)
      }
      if (element.name !== 'style') this.#restoreIn(element)
    })
  }

  withoutMarks(text: string): string {
    return this.#kept.length === 0 ? text : text.replace(this.#pattern, '')
  }

  #restoreIn(parent: ParentNode): void {
    const isMarked = ({ data }: Text) => data.search(this.#pattern) >= 0
    if (!parent.children.some((child) => isText(child) && isMarked(child))) return
    setChildren(
      parent,
      parent.children.flatMap((child) => (isText(child) ? this.#split(child.data) : [child])),
    )
  }

  #split(text: string): ChildNode[] {
    const nodes: ChildNode[] = []
    let from = 0
    for (const match of text.matchAll(this.#pattern)) {
      if (from < match.index) nodes.push(new Text(text.slice(from, match.index)))
      const comment = this.#kept[Number(match[1])]
      if (comment !== undefined) {
        nodes.push(new Comment(comment.slice(commentStart.length, -commentEnd.length)))
      }
      from = match.index + match[0].length
    }
    if (from < text.length) nodes.push(new Text(text.slice(from)))
    return nodes
  }
}

/**
 * The index behind each conditional comment that starts at one of ascending positions; undefined
 * where none does.
 */
function conditionalCommentEnds(html: string): (start: number) => number | undefined {
  let closingAt = 0
  return (start) => {
    if (html.startsWith(revealedClosing, start)) return start + revealedClosing.length
    opening.lastIndex = start
    if (!opening.test(html)) return undefined
    const inside = opening.lastIndex
    if (html.startsWith(revealed, inside)) return inside + revealed.length
    if (closingAt < inside) closingAt = indexOrEnd(html, closing, inside)
    const isClosed = closingAt < html.length && closingAt - inside <= conditionalCharactersMax
    return isClosed ? closingAt + closing.length : undefined
  }
}

function indexOrEnd(text: string, wanted: string, from: number): number {
  const index = text.indexOf(wanted, from)
  return index < 0 ? text.length : index
}

const suspect =
  /<\s*(?:\/\s*)?(?:script|iframe|object|embed|form|input|button|meta|base|link|svg|math|xml|style)\b|\son[a-z]+\s*=|javascript:|vbscript:|data:/i
/**
 * Browsers end a comment at `-->` and `--!>`, so all behind it would be content of the page. Other
 * declarations (comments, `<?xml:…>`, CDATA, `</>`) are not layout.
 */
const notLayout = /--!?>|<[!?]|<\/(?![a-z])/i
/** VML and Office elements, which only Outlook reads. */
const outlookTag = /^[ovw]:[a-z0-9]{1,30}$/
const pageTags: ReadonlySet<string> = new Set(['html', 'head', 'body'])
const forbiddenScheme = /^(?:javascript|vbscript|data):/i
// biome-ignore lint/suspicious/noControlCharactersInRegex: browsers skip controls in a scheme.
const skippedInScheme = /[\u0000-\u0020]/g

function isLayout(comment: string): boolean {
  if (suspect.test(comment)) return false
  const lines = comment.split(/[\n\r\u2028\u2029]/)
  if (lines.some((line) => line.indexOf('<!--') !== line.lastIndexOf('<!--'))) return false
  // `<!--[if !mso]><!-->` and `<!--<![endif]-->` hold nothing.
  if (comment.endsWith(revealed) || comment === revealedClosing) return true
  const inside = comment.slice(commentStart.length, -closing.length)
  return !notLayout.test(inside) && holdsOnlyLayout(inside)
}

function holdsOnlyLayout(inside: string): boolean {
  let isAllowed = true
  const parser = new Parser({
    onopentagname(name) {
      isAllowed &&= mailTags.has(name) || outlookTag.test(name) || pageTags.has(name)
    },
    onattribute(name, value) {
      const isScript = forbiddenScheme.test(value.replace(skippedInScheme, ''))
      isAllowed &&= !/^on/i.test(name) && !isScript
    },
  })
  parser.end(inside)
  return isAllowed
}
