import { useState } from 'preact/hooks'
import { formatBytes } from '../../../design/content/format.ts'
import { FileDrop } from '../../../design/forms/file-drop.tsx'

interface FileChoiceProps {
  readonly label: string
  readonly hint: string
  readonly bytesMax: number
  readonly onFile: (file: File) => void
}

/** What cannot be an import is refused before it is read. */
export function FileChoice({ label, hint, bytesMax, onFile }: FileChoiceProps) {
  const [file, setFile] = useState<File>()
  return (
    <FileDrop
      label={label}
      hint={`${hint} At most ${formatBytes(bytesMax)}.`}
      accept=".csv,.json,text/csv,application/json"
      file={file}
      error={file && ruleOf(file, bytesMax)}
      onFile={(chosen) => {
        setFile(chosen)
        if (ruleOf(chosen, bytesMax) === undefined) onFile(chosen)
      }}
    />
  )
}

function ruleOf(file: File, bytesMax: number): string | undefined {
  if (file.size === 0) return 'The file is empty.'
  if (file.size > bytesMax) return `The file has more than ${formatBytes(bytesMax)}. Split it.`
  return /\.(csv|json)$/i.test(file.name) ? undefined : 'The file must be CSV or JSON.'
}

export function typeOfFile(file: File): 'text/csv' | 'application/json' {
  return /\.json$/i.test(file.name) ? 'application/json' : 'text/csv'
}
