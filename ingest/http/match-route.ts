/**
 * The general route: any prefix a proxy has left on, repeated slashes, a slash at the end or none. The
 * common spellings never come here; the HTTP server has exact routes for them.
 */
export interface IntakeRoute {
  readonly format: 'envelope' | 'store'
  readonly projectText: string
}

export function matchIntakeRoute(path: string): IntakeRoute | undefined {
  const segments = path.split('/').filter((segment) => segment !== '')
  const format = segments.at(-1)
  const projectText = segments.at(-2)
  if (format !== 'envelope' && format !== 'store') return undefined
  if (projectText === undefined || segments.at(-3) !== 'api') return undefined
  return { format, projectText }
}
