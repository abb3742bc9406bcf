/**
 * Renders a safe subset of Markdown for texts of visitors: paragraphs, lists, quotes, emphasis,
 * code and links. No HTML, no headings, and no images, because a request for an image identifies
 * the reader. Links have `nofollow ugc`.
 */
import MarkdownIt from 'markdown-it'
import type { Html } from './html.ts'

const paragraphCharactersMin = 40
const linkSchemes = /^(?:https?:|mailto:)/i

const markdown = new MarkdownIt('zero', {
  html: false,
  linkify: true,
  breaks: true,
  maxNesting: 20,
})
  .enable(['list', 'blockquote', 'fence', 'code', 'hr'])
  .enable([
    'emphasis',
    'strikethrough',
    'backticks',
    'link',
    'autolink',
    'linkify',
    'newline',
    'escape',
  ])
markdown.validateLink = (url) => linkSchemes.test(url.trim())
const openLink = markdown.renderer.rules['link_open']
markdown.renderer.rules['link_open'] = (tokens, index, options, environment, renderer) => {
  tokens[index]!.attrSet('rel', 'nofollow ugc noopener')
  return (
    openLink?.(tokens, index, options, environment, renderer) ??
    renderer.renderToken(tokens, index, options)
  )
}
// Each paragraph has its own direction, for an Arabic reply to an English question.
for (const type of ['paragraph', 'blockquote', 'bullet_list', 'ordered_list', 'list_item']) {
  markdown.renderer.rules[`${type}_open`] = (tokens, index, options, _environment, renderer) => {
    tokens[index]!.attrSet('dir', 'auto')
    return renderer.renderToken(tokens, index, options)
  }
}

export function renderMarkdown(text: string): Html {
  return { markup: markdown.render(text) }
}

// Code is left to right in every language.
for (const type of ['fence', 'code_block'] as const) {
  const render = markdown.renderer.rules[type]
  markdown.renderer.rules[type] = (tokens, index, options, environment, renderer) => {
    const block = render?.(tokens, index, options, environment, renderer) ?? ''
    return block.replace(/^<pre/, '<pre dir="ltr"')
  }
}

/** The beginning of a text without Markdown characters, for a card. */
export function plainExcerpt(text: string, charactersMax: number): string {
  // Only the first paragraph, if it is long enough: a list is hard to read in one line.
  const [first = ''] = text.split(/\n[^\S\n]*\n/, 1)
  const plain = (first.length < paragraphCharactersMin ? text : first)
    .replace(/```[\s\S]*?(?:```|$)/g, ' ')
    .replace(/\[([^\]\n]{1,200})\]\([^)[\s]{1,2000}\)/g, '$1')
    .replace(/^[ \t]*(?:[-*+>]|\d{1,9}\.)[ \t]+/gm, '')
    .replace(/[*_~`]+/g, '')
    .replace(/\s+/g, ' ')
    .trim()
  if (plain.length <= charactersMax) return plain
  const cut = plain.slice(0, charactersMax)
  const space = cut.lastIndexOf(' ')
  return `${space > charactersMax / 2 ? cut.slice(0, space) : cut.replace(/[\ud800-\udbff]$/, '')}…`
}
