import { createRoot } from "react-dom/client"
import { App } from "./app.tsx"
import { startTheme } from "./state/theme.ts"

startTheme()
const root = document.getElementById("root")
if (root) createRoot(root).render(<App />)
