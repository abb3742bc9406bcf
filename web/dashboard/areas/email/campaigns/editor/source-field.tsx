import { useEffect, useRef, useState } from 'preact/hooks'
import { ProblemBox, Skeleton } from '../../../../design/content/states.tsx'
import type { CodeEditor, SourceKind } from './code-editor.ts'
import type { MergeTag } from './merge-tags.ts'

interface SourceFieldProps {
  readonly text: string
  /** The text is put into the editor when this changes, and never while the person types. */
  readonly revision: number
  readonly kind: SourceKind
  readonly readOnly: boolean
  readonly mergeTags: readonly MergeTag[]
  readonly onText: (text: string) => void
  /** Receives the editor when it has loaded, to insert placeholders. */
  readonly onEditor: (editor: CodeEditor | undefined) => void
}

/** The editor is a large script: it loads when a draft is opened. */
export function SourceField({
  text,
  revision,
  kind,
  readOnly,
  mergeTags,
  onText,
  onEditor,
}: SourceFieldProps) {
  const host = useRef<HTMLDivElement>(null)
  const editor = useRef<CodeEditor>(undefined)
  const latest = useRef({ text, kind, mergeTags, onText })
  latest.current = { text, kind, mergeTags, onText }
  const [problem, setProblem] = useState<Error>()
  const [isLoaded, setLoaded] = useState(false)
  useEffect(() => {
    let isGone = false
    import('./code-editor.ts').then(({ openCodeEditor }) => {
      if (isGone || host.current === null) return
      editor.current = openCodeEditor({
        host: host.current,
        label: 'Text of the email',
        text: latest.current.text,
        kind: latest.current.kind,
        readOnly,
        mergeTags: () => latest.current.mergeTags,
        onText: (changed) => latest.current.onText(changed),
      })
      onEditor(editor.current)
      setLoaded(true)
    }, setProblem)
    return () => {
      isGone = true
      onEditor(undefined)
      editor.current?.destroy()
    }
  }, [])
  useEffect(() => editor.current?.setText(text), [revision])
  useEffect(() => editor.current?.setKind(kind), [kind])
  return (
    <div class="draft-source">
      {problem !== undefined && <ProblemBox problem={problem} />}
      {problem === undefined && !isLoaded && <Skeleton lines={8} />}
      <div ref={host} class="draft-code" />
    </div>
  )
}
