package p

import (
	"crypto/rand"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"time"
	"unsafe"
)

func read() ([]byte, error)  { return os.ReadFile("x") }
func write()                 { f, _ := os.Create("x"); f.Close() }
func request()               { http.Get("u") }
func client(c *http.Client)  { c.Do(nil) }
func socket()                { net.Dial("tcp", "x") }
func run()                   { exec.Command("ls").Run() }
func environment()           { os.Getenv("HOME") }
func clock() time.Duration   { return time.Since(time.Now()) }
func constant() time.Duration { return 2 * time.Second }
func chance()                { rand.Read(nil) }
func console()               { fmt.Println(); println() }
func format() string         { return fmt.Sprintf("%d", 1) }
func foreign(p *int)         { _ = *(*uint)(unsafe.Pointer(p)) }
func status() int            { return http.StatusOK }
