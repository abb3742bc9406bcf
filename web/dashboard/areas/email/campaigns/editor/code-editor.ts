/**
 * CodeMirror for Markdown and HTML. It lives in a shadow root: there it uses constructable style
 * sheets, which the content security policy allows, and the variables of the page reach it.
 */
import {
  autocompletion,
  type CompletionContext,
  type CompletionResult,
  closeBrackets,
  completionKeymap,
} from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { html } from '@codemirror/lang-html'
import { markdown } from '@codemirror/lang-markdown'
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search'
import { Compartment, EditorState } from '@codemirror/state'
import {
  Decoration,
  drawSelection,
  EditorView,
  keymap,
  MatchDecorator,
  placeholder,
  ViewPlugin,
  type ViewUpdate,
} from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { completionsOf, type MergeTag, openTagBefore } from './merge-tags.ts'

export type SourceKind = 'markdown' | 'html'

export interface CodeEditorOptions {
  readonly host: HTMLElement
  readonly label: string
  readonly text: string
  readonly kind: SourceKind
  readonly readOnly: boolean
  readonly onText: (text: string) => void
  /** Read at each completion, because contacts arrive later than the text. */
  readonly mergeTags: () => readonly MergeTag[]
}

export interface CodeEditor {
  readonly setText: (text: string) => void
  readonly setKind: (kind: SourceKind) => void
  readonly insert: (text: string) => void
  readonly focus: () => void
  readonly destroy: () => void
}

const look = EditorView.theme({
  '&': {
    height: '100%',
    fontSize: 'var(--text-s)',
    color: 'var(--ink)',
    background: 'transparent',
  },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.65', overflow: 'auto' },
  '.cm-content': { padding: '14px 0', caretColor: 'var(--ink)' },
  '.cm-line': { padding: '0 16px' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': {
    background: 'var(--selected)',
  },
  '.cm-selectionBackground': { background: 'var(--hover)' },
  '.cm-selectionMatch': { background: 'var(--warning-wash)' },
  '.cm-searchMatch': { background: 'var(--warning-wash)', outline: '1px solid var(--warning)' },
  '.cm-placeholder': { color: 'var(--faint)' },
  '.cm-mergeTag': {
    background: 'var(--accent-wash)',
    color: 'var(--accent)',
    borderRadius: '3px',
  },
  '.cm-tooltip': {
    border: '1px solid var(--line)',
    borderRadius: 'var(--radius-m)',
    background: 'var(--paper)',
    boxShadow: 'var(--lift)',
    color: 'var(--ink)',
    overflow: 'hidden',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '4px 10px' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    background: 'var(--selected)',
    color: 'var(--ink)',
  },
  '.cm-completionIcon': { display: 'none' },
  '.cm-completionDetail': { color: 'var(--soft)', fontStyle: 'normal' },
  '.cm-panels': { background: 'var(--sunken)', color: 'var(--ink)' },
  '.cm-panels-bottom': { borderTop: '1px solid var(--line)' },
  '.cm-panel input, .cm-panel button': {
    background: 'var(--paper)',
    color: 'var(--ink)',
    border: '1px solid var(--line-strong)',
    borderRadius: 'var(--radius-s)',
  },
})

const colors = HighlightStyle.define([
  { tag: tags.heading, fontWeight: '650' },
  { tag: tags.strong, fontWeight: '650' },
  { tag: tags.emphasis, fontStyle: 'italic' },
  { tag: [tags.link, tags.url], color: 'var(--info)' },
  { tag: [tags.processingInstruction, tags.punctuation, tags.angleBracket], color: 'var(--faint)' },
  { tag: tags.tagName, color: 'var(--purple)' },
  { tag: tags.attributeName, color: 'var(--warning)' },
  { tag: [tags.string, tags.attributeValue, tags.monospace], color: 'var(--success)' },
  { tag: tags.comment, color: 'var(--faint)', fontStyle: 'italic' },
])

/** A placeholder that the product fills, as `{{name | there}}`. */
const tagMatcher = new MatchDecorator({
  regexp: /\{\{\s*(?:name|attr\.[\w-]{1,64})\s*(?:\|[^{}]*)?\}\}/g,
  decoration: Decoration.mark({ class: 'cm-mergeTag' }),
})

const tagHighlighting = ViewPlugin.define(
  (view) => ({
    decorations: tagMatcher.createDeco(view),
    update(update: ViewUpdate) {
      this.decorations = tagMatcher.updateDeco(update, this.decorations)
    },
  }),
  { decorations: (plugin) => plugin.decorations },
)

export function openCodeEditor(options: CodeEditorOptions): CodeEditor {
  const root = options.host.shadowRoot ?? options.host.attachShadow({ mode: 'open' })
  const language = new Compartment()
  // A text that is put in from outside is not an edit of the person.
  let isReplacing = false
  const complete = (context: CompletionContext): CompletionResult | null => {
    const line = context.state.doc.lineAt(context.pos)
    const open = openTagBefore(line.text.slice(0, context.pos - line.from))
    if (open === undefined) return null
    // Brackets that were closed by themselves belong to the placeholder.
    const after = line.text.slice(context.pos - line.from)
    const closed = /^\s*\}{1,2}/.exec(after)?.[0].length ?? 0
    const found = completionsOf(options.mergeTags(), open)
    if (found.length === 0) return null
    return {
      from: context.pos - open.length,
      to: context.pos + closed,
      options: found.map(({ tag, label }) => ({ label: tag, detail: label })),
      filter: false,
    }
  }
  const view = new EditorView({
    root,
    parent: root as unknown as Element,
    state: EditorState.create({
      doc: options.text,
      extensions: [
        history(),
        drawSelection(),
        search(),
        highlightSelectionMatches(),
        closeBrackets(),
        autocompletion({ override: [complete], icons: false }),
        // Tab leaves the editor, as in every other field.
        keymap.of([...completionKeymap, ...defaultKeymap, ...historyKeymap, ...searchKeymap]),
        language.of(languageOf(options.kind)),
        syntaxHighlighting(colors),
        tagHighlighting,
        look,
        placeholder('Write the email …'),
        EditorView.lineWrapping,
        EditorState.readOnly.of(options.readOnly),
        EditorView.editable.of(!options.readOnly),
        EditorView.contentAttributes.of({
          'aria-label': options.label,
          tabindex: '0',
          spellcheck: 'true',
          autocorrect: 'on',
        }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged && !isReplacing) options.onText(update.state.doc.toString())
        }),
      ],
    }),
  })
  return {
    setText: (text) => {
      if (text === view.state.doc.toString()) return
      isReplacing = true
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } })
      isReplacing = false
    },
    setKind: (kind) => view.dispatch({ effects: language.reconfigure(languageOf(kind)) }),
    insert: (text) => {
      view.dispatch(view.state.replaceSelection(text))
      view.focus()
    },
    focus: () => view.focus(),
    destroy: () => view.destroy(),
  }
}

function languageOf(kind: SourceKind) {
  // Without the languages of scripts and styles, which emails hardly have.
  return kind === 'html' ? html({ nestedLanguages: [] }) : markdown()
}
