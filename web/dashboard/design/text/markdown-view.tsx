import { useMemo } from 'preact/hooks'
import { type Block, type Dialect, type Inline, parseMarkdown } from './parse-markdown.ts'
import { visibleText } from './visible-text.ts'
import './markdown.css'

/** Markdown as elements. No text of it ever becomes HTML. */
export function MarkdownView({
  text,
  dialect,
}: {
  readonly text: string
  readonly dialect?: Dialect
}) {
  const blocks = useMemo(() => parseMarkdown(text, dialect), [text, dialect])
  return (
    <div class="markdown">
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
        <p class="markdown-heading">
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
