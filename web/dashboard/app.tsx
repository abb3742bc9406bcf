import { useEffect, useState } from 'preact/hooks'
import { ErrorBoundary, LocationProvider, Route, Router } from 'preact-iso'
import { areaRoutes } from './areas/area-routes.ts'
import { ProblemBox, Skeleton } from './design/content/states.tsx'
import { EndedLoginDialog } from './session/ended-login-dialog.tsx'
import { LoginPage } from './session/login-page.tsx'
import { endedLogin, loadSession, me, sessionProblem } from './session/session.ts'
import { Frame } from './shell/frame.tsx'
import { HomePage } from './shell/home-page.tsx'
import { NotFoundPage } from './shell/not-found-page.tsx'
import { ProjectGate } from './shell/project-gate.tsx'
import { Toasts } from './shell/toasts.tsx'

export function App() {
  return (
    <LocationProvider>
      <Session />
      {endedLogin.value !== undefined && <EndedLoginDialog />}
      <Toasts />
    </LocationProvider>
  )
}

function Session() {
  if (sessionProblem.value !== undefined && me.value === undefined) {
    return (
      <main class="page">
        <ProblemBox problem={sessionProblem.value} onRetry={() => void loadSession()} />
      </main>
    )
  }
  if (me.value === undefined) {
    return (
      <main class="page">
        <Skeleton />
      </main>
    )
  }
  if (me.value === null) return <LoginPage />
  // Another organization gets a new frame: nothing of the former one stays on the screen.
  return (
    <Frame key={me.value.organization.id}>
      <Pages />
    </Frame>
  )
}

/** An error in one page leaves the navigation in place. */
function Pages() {
  const [problem, setProblem] = useState<Error>()
  useEffect(() => {
    if (problem !== undefined) console.error(problem)
  }, [problem])
  if (problem !== undefined) {
    return (
      <div class="page">
        <ProblemBox problem={problem} onRetry={() => location.reload()} />
      </div>
    )
  }
  return (
    <ErrorBoundary onError={setProblem}>
      <ProjectGate>
        <Router onRouteChange={() => window.scrollTo(0, 0)}>
          <Route path="/" component={HomePage} />
          <Route path="/login" component={HomePage} />
          {areaRoutes.map(({ path, page }) => (
            <Route key={path} path={path} component={page} />
          ))}
          <Route default component={NotFoundPage} />
        </Router>
      </ProjectGate>
    </ErrorBoundary>
  )
}
