import { useMemo } from 'preact/hooks'
import { visibleText } from '../payload/visible-text.ts'
import { type Block, type Inline, parseMarkdown } from './parse-markdown.ts'

/** A comment as elements. No text of it ever becomes HTML. */
export function MarkdownView({ text }: { readonly text: string }) {
  const blocks = useMemo(() => parseMarkdown(text), [text])
  return (
    <div class="issue-markdown">
      <Blocks blocks={blocks} />
    </div>
  )
}

function Blocks({ blocks }: { readonly blocks: readonly Block[] }) {
  return (
    <>
      {blocks.map((block, index) => (
        <BlockView key={index} block={block} />
      ))}
    </>
  )
}

function BlockView({ block }: { readonly block: Block }) {
  switch (block.kind) {
    case 'paragraph':
      return (
        <p>
          <Inlines inlines={block.inlines} />
        </p>
      )
    case 'heading':
      return (
        <p class="issue-markdown-heading">
          <Inlines inlines={block.inlines} />
        </p>
      )
    case 'code':
      return (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls wide code.
        <pre tabIndex={0}>
          <code>{visibleText(block.text)}</code>
        </pre>
      )
    case 'quote':
      return (
        <blockquote>
          <Blocks blocks={block.blocks} />
        </blockquote>
      )
    case 'list': {
      const items = block.items.map((inlines, index) => (
        <li key={index}>
          <Inlines inlines={inlines} />
        </li>
      ))
      return block.isOrdered ? <ol>{items}</ol> : <ul>{items}</ul>
    }
    case 'rule':
      return <hr />
  }
}

function Inlines({ inlines }: { readonly inlines: readonly Inline[] }) {
  return (
    <>
      {inlines.map((inline, index) => (
        <InlineView key={index} inline={inline} />
      ))}
    </>
  )
}

function InlineView({ inline }: { readonly inline: Inline }) {
  switch (inline.kind) {
    case 'text':
      return <>{visibleText(inline.text)}</>
    case 'code':
      return <code>{visibleText(inline.text)}</code>
    case 'break':
      return <br />
    case 'strong':
      return (
        <strong>
          <Inlines inlines={inline.inlines} />
        </strong>
      )
    case 'emphasis':
      return (
        <em>
          <Inlines inlines={inline.inlines} />
        </em>
      )
    case 'deleted':
      return (
        <del>
          <Inlines inlines={inline.inlines} />
        </del>
      )
    case 'link':
      return (
        <a href={inline.href} rel="noopener noreferrer nofollow" target="_blank">
          <Inlines inlines={inline.inlines} />
        </a>
      )
  }
}
