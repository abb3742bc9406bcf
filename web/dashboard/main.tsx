import './design/css/tokens.css'
import './design/css/base.css'
import './theme/theme.ts'
import { render } from 'preact'
import { App } from './app.tsx'
import { preloadPage } from './areas/area-routes.ts'
import { listenForShortcuts } from './keyboard/shortcuts.ts'
import { loadSession } from './session/session.ts'

listenForShortcuts()
void loadSession()
preloadPage(location.pathname)
const root = document.getElementById('app')
if (root !== null) render(<App />, root)
