//go:build browser

package report

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// browser is a headless browser; a test is skipped where there is none. A profile of the test's own keeps it from those of users.
func browser(t *testing.T) context.Context {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "headless-shell"} {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.UserDataDir(t.TempDir()))
		allocated, stop := chromedp.NewExecAllocator(t.Context(), options...)
		ctx, end := chromedp.NewContext(allocated)
		t.Cleanup(func() { end(); stop() })
		ctx, cancel := context.WithTimeout(ctx, 3*time.Minute) // other tests may run beside it
		t.Cleanup(cancel)
		if err := chromedp.Do(ctx); err != nil {
			t.Skipf("%s does not start: %v", path, err)
		}
		return ctx
	}
	t.Skip("there is no browser: chromium, chromium-browser, google-chrome or headless-shell")
	return nil
}

// TestInBrowser: at the widths of a phone, a laptop and a large screen nothing hangs over and all columns are seen, pictures and tables are there without JavaScript too, dark is dark,
// and with JavaScript a click on a header sorts. SCREENSHOTS=DIR keeps what is seen.
func TestInBrowser(t *testing.T) {
	ctx := browser(t)
	path := filepath.Join(t.TempDir(), "page.html")
	out, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := wholePage(t).Write(out); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	for _, width := range []int64{500, 1000, 1600} {
		for _, scheme := range []string{"light", "dark"} {
			for _, scripts := range []bool{true, false} {
				name := fmt.Sprintf("%d-%s-%s", width, scheme, map[bool]string{true: "scripts", false: "plain"}[scripts])
				seen := look(ctx, t, path, width, scheme, scripts)
				if seen.Over > 0 {
					t.Errorf("%s: the page hangs over by %v pixels", name, seen.Over)
				}
				if seen.Tables < 7 || seen.Pictures < 9 {
					t.Errorf("%s: %d tables and %d pictures are shown", name, seen.Tables, seen.Pictures)
				}
				if dark := seen.Background != "rgb(255, 255, 255)"; dark != (scheme == "dark") {
					t.Errorf("%s: the background is %s", name, seen.Background)
				}
				if (seen.Sortable > 0) != scripts {
					t.Errorf("%s: %d tables can be sorted", name, seen.Sortable)
				}
				keepScreenshot(ctx, t, name)
			}
		}
	}
	sorts(ctx, t, path)
}

// seen is what the browser shows of a page.
type seen struct {
	Over             float64 // pixels that hang over
	Tables, Pictures int
	Background       string
	Sortable         int // tables
}

// look opens the page.
func look(ctx context.Context, t *testing.T, path string, width int64, scheme string, scripts bool) seen {
	t.Helper()
	s, err := chromedp.Run(ctx, func(ctx context.Context, _ *chromedp.Target) (s seen, err error) {
		if _, err := chromedp.Call(ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: !scripts}); err != nil {
			return s, err
		}
		media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}}
		if _, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, media); err != nil {
			return s, err
		}
		const height = 900
		if err := chromedp.Do(ctx, chromedp.EmulateViewport(width, height), chromedp.Navigate("file://"+path)); err != nil {
			return s, err
		}
		return chromedp.Run(ctx, chromedp.Evaluate[seen](`({
			over: Math.max(document.documentElement.scrollWidth - innerWidth, ...[...document.querySelectorAll(".scroll")].map((e) => e.scrollWidth - e.clientWidth)),
			tables: [...document.querySelectorAll("table")].filter((e) => e.offsetWidth > 0).length,
			pictures: [...document.querySelectorAll("svg")].filter((e) => e.getBoundingClientRect().width > 0).length,
			background: getComputedStyle(document.body).backgroundColor,
			sortable: document.querySelectorAll("table.sorted").length})`))
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// sorts clicks on a header twice: the column rises, then falls, by its numbers and not by their text.
func sorts(ctx context.Context, t *testing.T, path string) {
	look(ctx, t, path, 1000, "light", true)
	var got []string
	for range 2 {
		if err := chromedp.Do(ctx, chromedp.Click("section table th:nth-child(3)")); err != nil {
			t.Fatal(err)
		}
		column, err := chromedp.Run(ctx, chromedp.Evaluate[[]string](`[...document.querySelector("section table").tBodies[0].rows].map((r) => r.cells[2].dataset.key)`))
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, column...)
	}
	if want := []string{"0.001", "0.003", "0.012", "0.012", "0.003", "0.001"}; !slices.Equal(got, want) {
		t.Errorf("sorted twice: %s, want %s", got, want)
	}
}

// keepScreenshot keeps a picture of the whole page where SCREENSHOTS asks for it.
func keepScreenshot(ctx context.Context, t *testing.T, name string) {
	dir := os.Getenv("SCREENSHOTS")
	if dir == "" {
		return
	}
	const quality = 100 // PNG
	png, err := chromedp.Run(ctx, chromedp.FullScreenshot(quality))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), png, 0o644); err != nil {
		t.Fatal(err)
	}
}
