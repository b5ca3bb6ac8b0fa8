/** The theme: the visual language's values as Mantine's own. The colours themselves are in tokens.css. */
import {
  createTheme,
  defaultVariantColorsResolver,
  type MantineColorsTuple,
  type MantineThemeOverride,
} from '@mantine/core'

const brand: MantineColorsTuple = [
  '#edf1fd',
  '#dfe7fc',
  '#c3d0f9',
  '#9fb5f4',
  '#8eabff',
  '#5f86ee',
  '#3f69e0',
  '#2f5bd8',
  '#264bb8',
  '#1d3a92',
]
const gray: MantineColorsTuple = [
    '#f7f8f9',
    '#f0f1f4',
    '#e5e7eb',
    '#d3d7de',
    '#b4bac4',
    '#868d9a',
    '#626977',
    '#444b57',
    '#2a2f38',
    '#15181e',
  ],
  dark: MantineColorsTuple = [
    '#eceef1',
    '#b9bfc9',
    '#949ba8',
    '#6d7482',
    '#363940',
    '#1c1e23',
    '#16181c',
    '#101114',
    '#0b0c0e',
    '#08090a',
  ]
export const theme: MantineThemeOverride = createTheme({
  colors: { brand, gray, dark },
  primaryColor: 'brand',
  primaryShade: { light: 7, dark: 6 },
  fontFamily: 'var(--sans)',
  fontFamilyMonospace: 'var(--mono)',
  fontWeights: { regular: '400', medium: '500', bold: '600' },
  fontSizes: { xs: '11px', sm: '12px', md: '13px', lg: '14px', xl: '16px' },
  lineHeights: { xs: '1.27', sm: '1.5', md: '1.54', lg: '1.57', xl: '1.5' },
  spacing: { xs: '4px', sm: '8px', md: '12px', lg: '16px', xl: '24px' },
  headings: {
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '20px', lineHeight: '28px' },
      h2: { fontSize: '14px', lineHeight: '20px' },
      h3: { fontSize: '13px', lineHeight: '20px' },
    },
  },
  radius: { xs: '4px', sm: '6px', md: '8px', lg: '12px' },
  defaultRadius: 'sm',
  breakpoints: { sm: '40em', md: '69em' },
  cursorType: 'pointer',
  // Mantine's plain button takes no colour: a destructive one has a red word.
  variantColorResolver: (input) => ({
    ...defaultVariantColorsResolver(input),
    ...(input.variant === 'default' && input.color === 'red' && { color: 'var(--bad)' }),
  }),
  respectReducedMotion: true,
  shadows: {
    xs: 'var(--shadow-1)',
    sm: 'var(--shadow-1)',
    md: 'var(--shadow-2)',
    lg: 'var(--shadow-2)',
    xl: 'var(--shadow-3)',
  },
  // plain objects: `Button.extend()` would pull every component named here into the first page (58 kB gzip)
  components: {
    Button: {
      defaultProps: { size: 'sm' },
      vars: (_: unknown, p: { size?: string }) => ({
        root:
          p.size === 'xs'
            ? { '--button-height': 'var(--size-small)', '--button-fz': '12px', '--button-padding-x': '9px' }
            : { '--button-height': 'var(--size-control)', '--button-fz': '13px', '--button-padding-x': '12px' },
      }),
    },
    ActionIcon: { defaultProps: { variant: 'subtle', color: 'gray', size: 32 } },
    Input: {
      vars: () => ({ wrapper: { '--input-height': 'var(--size-control)', '--input-fz': 'var(--size-typed)' } }),
    },
    Checkbox: { defaultProps: { size: 'xs', radius: 'xs' } },
    Switch: { defaultProps: { withThumbIndicator: false } },
    SegmentedControl: { defaultProps: { withItemsBorders: false, size: 'xs' } },
    Card: { defaultProps: { withBorder: true, padding: 14, radius: 'md', shadow: 'xs' } },
    Tooltip: { defaultProps: { openDelay: 400, events: { hover: true, focus: true, touch: true } } },
    Modal: { defaultProps: { size: 440, radius: 'lg', transitionProps: { duration: 120 } } },
    Drawer: { defaultProps: { position: 'right', size: 408 } },
    Menu: { defaultProps: { radius: 'md', shadow: 'md', position: 'bottom-end' } },
  },
})
