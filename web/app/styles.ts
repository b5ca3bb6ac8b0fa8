/** The styles of every page. Mantine's components bring theirs themselves (the build sees to it). */
import './tokens.css'
import '@mantine/core/styles/baseline.layer.css'
import '@mantine/core/styles/global.layer.css'
import './app.css'
